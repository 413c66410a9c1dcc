import { isTrueAt, numberAt, objectAt, stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { notePart, outputPart, resultParts, resultText } from "./result-parts.js";
import type { ViewPart, ViewTool } from "./tool-view.js";

export const viewBash: ViewTool = (call) => {
  const command = stringAt(call.input, "command");
  const description = stringAt(call.input, "description");
  return {
    title: call.summary,
    parts: [
      ...(command === undefined ? [] : [commandPart(command, description)]),
      ...outputParts(call),
      ...notePart(stringAt(call.resultData, "returnCodeInterpretation"), "exit code"),
      ...pullRequestParts(call.resultData),
    ],
  };
};

function commandPart(command: string, description: string | undefined): ViewPart {
  return { kind: "code", text: command, language: "bash", ...(description ? { label: description } : {}) };
}

/** What the model read is the last resort: it mixes both streams. */
function outputParts(call: ToolCall): ViewPart[] {
  const { resultData } = call;
  const task = stringAt(resultData, "backgroundTaskId");
  if (task !== undefined) return resultParts(call, `background task ${task}`);
  const printed = printedParts(resultData);
  return printed.length > 0 || isTrueAt(resultData, "isImage") ? printed : printedParts({ stdout: resultText(call) });
}

/** Of what a command wrote, each stream apart. */
export function printedParts(data: unknown): ViewPart[] {
  const stdout = stringAt(data, "stdout") ?? "";
  const stderr = stringAt(data, "stderr") ?? "";
  return [
    ...(stdout.trim() === "" || isTrueAt(data, "isImage") ? [] : [outputPart(stdout, "output")]),
    ...(stderr.trim() === "" ? [] : [outputPart(stderr, "stderr")]),
  ];
}

function pullRequestParts(data: unknown): ViewPart[] {
  const request = objectAt(data, "gitOperation", "pr");
  const what = [stringAt(request, "action"), stringAt(request, "url") ?? numberAt(request, "number")];
  return notePart(what.filter((word) => word !== undefined).join(" "), "pull request");
}
