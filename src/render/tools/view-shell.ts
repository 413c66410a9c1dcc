import { isTrueAt, numberAt, objectAt, stringAt, tryParseJson } from "../../format/json.js";
import { toShellDiff } from "../../format/record/file-changes.js";
import { textInTag } from "../../session/prompts/wrappers.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { describeShellGap } from "../labels.js";
import { trimBlankLines } from "../safe-text.js";
import { languageOf } from "./language-of.js";
import { notePart, outputPart, resultParts, resultText, type ViewPart, type ViewTool } from "./view-parts.js";

export const viewBash: ViewTool = (call) => {
  const command = stringAt(call.input, "command");
  const description = stringAt(call.input, "description");
  return {
    title: call.summary,
    parts: [
      ...(command === undefined ? [] : [commandPart(command, description)]),
      ...commandOutputParts(call),
      ...notePart(stringAt(call.resultData, "returnCodeInterpretation"), "exit code"),
      ...pullRequestParts(call.resultData),
    ],
  };
};

function commandPart(command: string, description: string | undefined): ViewPart {
  return { kind: "code", text: command, language: "bash", ...(description ? { label: description } : {}) };
}

/** The text that the model read is the last resort: it mixes both streams. */
function commandOutputParts(call: ToolCall): ViewPart[] {
  const { resultData } = call;
  const task = stringAt(resultData, "backgroundTaskId");
  if (task !== undefined) return resultParts(call, `background task ${task}`);
  const printed = streamParts(resultData);
  return printed.length > 0 || isTrueAt(resultData, "isImage") ? printed : streamParts({ stdout: resultText(call) });
}

/** One part for each of stdout and stderr. */
function streamParts(data: unknown): ViewPart[] {
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

/** What a command changed, as far as Claude Code recorded it. */
export function shellDiffParts({ resultData }: ToolCall): ViewPart[] {
  const diff = toShellDiff(resultData);
  if (!diff) return [];
  const changed = diff.files.filter(({ hunks }) => hunks.length > 0);
  const others = [...diff.files.filter(({ hunks }) => hunks.length === 0).map(({ path }) => path), ...diff.others];
  return [
    ...changed.map(
      ({ path, hunks }): ViewPart => ({ kind: "diff", path, isNamed: true, language: languageOf(path), hunks }),
    ),
    ...notePart(others.join("\n"), "also changed"),
    ...(diff.gap ? notePart(describeShellGap(diff.gap), "changed files") : []),
  ];
}

/** BashOutput, TaskOutput, AgentOutputTool: the output of a background task so far. */
export const viewTaskOutput: ViewTool = (call) => {
  const { input } = call;
  const id = stringAt(input, "task_id") ?? stringAt(input, "bash_id") ?? stringAt(input, "agentId");
  const printed = taskOutputParts(call);
  return {
    title: id === undefined ? call.summary : `output of ${id}`,
    parts: printed.length > 0 ? [...taskStateParts(call), ...printed] : resultParts(call),
  };
};

function taskOutputParts({ result, resultData }: ToolCall): ViewPart[] {
  const noted = stringAt(resultData, "task", "output") ?? stringAt(resultData, "task", "result");
  if (noted !== undefined) return noted.trim() === "" ? [] : [outputPart(noted, "output")];
  const printed = streamParts(resultData);
  if (printed.length > 0) return printed;
  const text = result ?? "";
  return streamParts({
    stdout: textOfTag(text, "stdout") ?? textOfTag(text, "output"),
    stderr: textOfTag(text, "stderr"),
  });
}

/** Tags are on lines of their own. */
function textOfTag(text: string, tag: string): string | undefined {
  const printed = textInTag(text, tag);
  return printed === undefined ? undefined : trimBlankLines(printed);
}

function taskStateParts({ result, resultData }: ToolCall): ViewPart[] {
  const task = objectAt(resultData, "task") ?? resultData;
  const state = stringAt(task, "status") ?? textInTag(result ?? "", "status")?.trim();
  const exit = numberAt(task, "exitCode") ?? textInTag(result ?? "", "exit_code")?.trim();
  const words = [stringAt(task, "description") ?? stringAt(task, "command"), state];
  if (exit !== undefined) words.push(`exit code ${exit}`);
  return notePart(words.filter((word) => word).join(", "), "task");
}

/** KillShell, later TaskStop: ends a background task. */
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
