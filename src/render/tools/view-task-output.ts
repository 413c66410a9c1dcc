import { numberAt, objectAt, stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { textInTag } from "../../session/wrappers.js";
import { trimBlankLines } from "../trim-blank-lines.js";
import { notePart, outputPart, resultParts } from "./result-parts.js";
import type { ViewPart, ViewTool } from "./tool-view.js";
import { printedParts } from "./view-bash.js";

/** What a task in the background has printed so far. */
export const viewTaskOutput: ViewTool = (call) => {
  const { input } = call;
  const id = stringAt(input, "task_id") ?? stringAt(input, "bash_id") ?? stringAt(input, "agentId");
  const printed = outputParts(call);
  return {
    title: id === undefined ? call.summary : `output of ${id}`,
    parts: printed.length > 0 ? [...stateParts(call), ...printed] : resultParts(call),
  };
};

function outputParts({ result, resultData }: ToolCall): ViewPart[] {
  const noted = stringAt(resultData, "task", "output") ?? stringAt(resultData, "task", "result");
  if (noted !== undefined) return noted.trim() === "" ? [] : [outputPart(noted, "output")];
  const printed = printedParts(resultData);
  if (printed.length > 0) return printed;
  const text = result ?? "";
  return printedParts({
    stdout: printedIn(text, "stdout") ?? printedIn(text, "output"),
    stderr: printedIn(text, "stderr"),
  });
}

/** Tags stand on lines of their own. */
function printedIn(text: string, tag: string): string | undefined {
  const printed = textInTag(text, tag);
  return printed === undefined ? undefined : trimBlankLines(printed);
}

function stateParts({ result, resultData }: ToolCall): ViewPart[] {
  const task = objectAt(resultData, "task") ?? resultData;
  const state = stringAt(task, "status") ?? textInTag(result ?? "", "status")?.trim();
  const exit = numberAt(task, "exitCode") ?? textInTag(result ?? "", "exit_code")?.trim();
  const words = [stringAt(task, "description") ?? stringAt(task, "command"), state];
  if (exit !== undefined) words.push(`exit code ${exit}`);
  return notePart(words.filter((word) => word).join(", "), "task");
}
