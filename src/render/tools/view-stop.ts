import { stringAt, tryParseJson } from "../../format/json.js";
import { resultParts, resultText } from "./result-parts.js";
import type { ViewTool } from "./tool-view.js";

/** KillShell, later TaskStop: the end of something in the background. */
export const viewStop: ViewTool = (call) => {
  const { input, resultData } = call;
  const id = stringAt(input, "shell_id") ?? stringAt(input, "task_id");
  const command = stringAt(resultData, "command");
  const said = stringAt(resultData, "message") ?? stringAt(tryParseJson(resultText(call)), "message");
  return {
    title: id === undefined ? call.summary : `stop ${id}${command === undefined ? "" : `: ${command}`}`,
    parts: said === undefined ? resultParts(call) : [{ kind: "text", text: said }],
  };
};
