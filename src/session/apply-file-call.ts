import { applyPatch } from "diff";
import type { FileCall, FileContent, Hunk, Replacement } from "../format/file-call.js";

export interface AppliedCall {
  readonly before: FileContent;
  readonly after: FileContent;
}

/** What a write or an edit found and left, from its own records and what is known of the file so far. */
export function applyFileCall(call: FileCall, known: FileContent): AppliedCall {
  const before = call.before === undefined ? known : withLineEndsOf(known, call.before);
  if (call.after !== undefined) return { before, after: call.after };
  const after = call.kind === "edit" ? edited(call, asRecorded(before)) : undefined;
  return { before, after: withLineEndsOf(before, after) };
}

/** Records hold LF where the file has CRLF, and the client writes CRLF back. */
export function withLineEndsOf(model: FileContent, content: FileContent): FileContent {
  if (typeof content !== "string" || typeof model !== "string" || !model.includes("\r\n")) return content;
  return content.includes("\r\n") ? content : content.replaceAll("\n", "\r\n");
}

function asRecorded(content: FileContent): FileContent {
  return typeof content === "string" ? content.replaceAll("\r\n", "\n") : content;
}

function edited({ replacements, hunks }: FileCall, before: FileContent): string | undefined {
  const replaced = replaceAll(replacements, before);
  const patched = typeof before === "string" ? applyHunks(hunks, before) : undefined;
  if (patched === undefined || replaced === undefined || patched === replaced) return replaced ?? patched;
  // Some clients show tabs as spaces in the hunks; else these know better: a person may have changed the edit.
  return withoutSpace(patched) === withoutSpace(replaced) ? replaced : patched;
}

function replaceAll(replacements: readonly Replacement[], before: FileContent): string | undefined {
  let text = before ?? (before === null ? "" : undefined);
  for (const replacement of replacements) text = text === undefined ? undefined : replace(text, replacement);
  return replacements.length === 0 ? undefined : text;
}

/** Undefined where the text does not stand exactly once, unless all are meant. */
function replace(text: string, { from, to, isEverywhere }: Replacement): string | undefined {
  if (from === "") return text === "" ? to : undefined;
  const at = text.indexOf(from);
  if (at < 0) return undefined;
  if (isEverywhere) return text.replaceAll(from, () => to);
  return text.indexOf(from, at + 1) < 0 ? text.slice(0, at) + to + text.slice(at + from.length) : undefined;
}

function applyHunks(hunks: readonly Hunk[], before: string): string | undefined {
  const lines = before.split("\n").length;
  // The search for the place of a hunk walks from there to the file, however far that is.
  if (hunks.length === 0 || hunks.some(({ oldStart }) => oldStart > lines + 1)) return undefined;
  const patch = { oldFileName: "", newFileName: "", oldHeader: "", newHeader: "", hunks: hunks.map(toPatchHunk) };
  const after = applyPatch(before, patch, { autoConvertLineEndings: false });
  return after === false ? undefined : after;
}

function toPatchHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk) {
  return { oldStart, oldLines, newStart, newLines, lines: [...lines] };
}

function withoutSpace(text: string): string {
  return text.replace(/[ \t]+/g, "");
}
