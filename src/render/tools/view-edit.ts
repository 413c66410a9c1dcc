import { arrayAt, isTrueAt, stringAt, valueAt } from "../../format/json.js";
import { type PatchHunk, toPatchHunks } from "../../format/structured-patch.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { changedLines } from "./changed-lines.js";
import { languageOf } from "./language-of.js";
import { notePart, resultParts } from "./result-parts.js";
import type { ViewPart, ViewTool } from "./tool-view.js";

/** Edit, and MultiEdit with its list of edits. */
export const viewEdit: ViewTool = (call) => {
  const { input, resultData } = call;
  const noted = toPatchHunks(resultData);
  const hunks = noted.length > 0 ? noted : askedHunks(input);
  return {
    title: call.summary + (isTrueAt(input, "replace_all") ? " everywhere" : ""),
    parts: [
      ...(hunks.length > 0 ? [diffPart(stringAt(input, "file_path"), hunks)] : resultParts(call)),
      ...touchedParts(call),
    ],
  };
};

export function diffPart(path: string | undefined, hunks: readonly PatchHunk[]): ViewPart {
  return { kind: "diff", path: path ?? null, language: languageOf(path ?? ""), hunks };
}

/** People may change what a tool is about to write when they are asked for permission. */
export function touchedParts({ resultData }: ToolCall): ViewPart[] {
  return isTrueAt(resultData, "userModified") ? notePart("changed by the user before it was written", "note") : [];
}

/** What was to be replaced, where nobody noted what was. */
function askedHunks(input: unknown): PatchHunk[] {
  const edits = Array.isArray(valueAt(input, "edits")) ? arrayAt(input, "edits") : [input];
  return edits.flatMap((edit) => {
    const hunk = changedLines(stringAt(edit, "old_string") ?? "", stringAt(edit, "new_string") ?? "");
    return hunk.lines.length > 0 ? [hunk] : [];
  });
}
