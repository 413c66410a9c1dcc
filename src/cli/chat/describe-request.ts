import { arrayAt, stringAt, valueAt } from "../../format/json.js";
import { formatCount } from "../../render/format-values.js";
import { changedLines } from "../../render/tools/changed-lines.js";
import { summarizeCall } from "../../session/tool-summary.js";

const MAX_LINES = 60;

/** What a person is asked to allow: a command as a whole, a change line by line. */
export function describeRequest(tool: string, input: unknown): string {
  const address = stringAt(input, "url") ?? stringAt(input, "query");
  const title = `${tool}: ${address ?? summarizeCall(tool, input)}`;
  const lines = changeOf(tool, input);
  const more = lines.length > MAX_LINES ? [`… (+${formatCount(lines.length - MAX_LINES, "line")})`] : [];
  return [title, ...[...lines.slice(0, MAX_LINES), ...more].map((line) => `  ${line}`)].join("\n");
}

function changeOf(tool: string, input: unknown): readonly string[] {
  if (tool === "Write") return (stringAt(input, "content") ?? "").split("\n").map((line) => `+${line}`);
  if (tool !== "Edit" && tool !== "MultiEdit") return [];
  const edits = valueAt(input, "edits") === undefined ? [input] : arrayAt(input, "edits");
  return edits.flatMap(
    (edit) => changedLines(stringAt(edit, "old_string") ?? "", stringAt(edit, "new_string") ?? "").lines,
  );
}
