import { arrayAt, isTrueAt, numberAt, objectAt, stringAt, valueAt } from "../../format/json.js";
import { type PatchHunk, toPatchHunks } from "../../format/record/file-changes.js";
import { stripContext } from "../../session/prompts/wrappers.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { languageOf } from "./language-of.js";
import {
  type CodePart,
  imageParts,
  notePart,
  outputPart,
  resultParts,
  resultText,
  type ViewPart,
  type ViewTool,
} from "./view-parts.js";

export const viewRead: ViewTool = (call) => ({ title: call.summary + readRange(call), parts: readParts(call) });

/** Empty if the whole file was read. */
function readRange({ input, resultData }: ToolCall): string {
  const pages = stringAt(input, "pages");
  if (pages !== undefined) return ` (pages ${pages})`;
  const file = objectAt(resultData, "file");
  const first = numberAt(file, "startLine") ?? numberAt(input, "offset");
  const count = numberAt(file, "numLines") ?? numberAt(input, "limit");
  const total = numberAt(file, "totalLines");
  if ((first === undefined && count === undefined) || ((first ?? 1) <= 1 && count === total)) return "";
  if (count === undefined) return ` (from line ${first})`;
  const from = first ?? 1;
  return ` (lines ${from}-${from + count - 1}${total === undefined ? "" : ` of ${total}`})`;
}

function readParts(call: ToolCall): ViewPart[] {
  const { input, resultData } = call;
  const language = languageOf(stringAt(input, "file_path") ?? "");
  const content = stringAt(resultData, "file", "content");
  switch (stringAt(resultData, "type")) {
    case "image":
      return [];
    case "notebook": {
      const cells = notebookParts(arrayAt(resultData, "file", "cells"));
      return cells.length > 0 ? cells : resultParts(call);
    }
    case "text":
      if (!content) break;
      return [{ kind: "code", text: content, language, firstLine: numberAt(resultData, "file", "startLine") ?? 1 }];
  }
  const excerpt = numberedExcerpt(resultText(call), language);
  return excerpt ? [excerpt] : resultParts(call);
}

/** `     1→text` up to Claude Code 2.1.81, `1<tab>text` from 2.1.90. */
const NUMBERED = /^ *(\d+)(?:→|\t)(.*)$/s;

function numberedExcerpt(result: string, language: string | null): CodePart | undefined {
  const lines = stripContext(result).text.split("\n");
  const first = NUMBERED.exec(lines[0] ?? "")?.[1];
  if (first === undefined) return undefined;
  const text = lines.map((line) => NUMBERED.exec(line)?.[2] ?? line).join("\n");
  return { kind: "code", text, language, firstLine: Number(first) };
}

/** The cells of a notebook, each with its output. */
function notebookParts(cells: readonly unknown[]): ViewPart[] {
  return cells.flatMap((cell) => [cellPart(cell), ...arrayAt(cell, "outputs").flatMap(cellOutputParts)]);
}

function cellPart(cell: unknown): ViewPart {
  const text = joinedText(cell, "source");
  const id = stringAt(cell, "cell_id");
  const label = id === undefined ? "cell" : `cell ${id}`;
  if ((stringAt(cell, "cellType") ?? stringAt(cell, "cell_type")) === "markdown") {
    return { kind: "markdown", text, label };
  }
  return { kind: "code", text, language: stringAt(cell, "language") ?? "python", label };
}

function cellOutputParts(output: unknown): ViewPart[] {
  const text = joinedText(output, "text");
  const image = {
    type: "image",
    file: { type: stringAt(output, "image", "media_type"), base64: stringAt(output, "image", "image_data") },
  };
  return [
    ...(text.trim() === "" ? [] : [outputPart(text, "output")]),
    ...imageParts({ resultBlocks: [], resultData: image }),
  ];
}

/** Notebooks store texts as a string or as a list of lines. */
function joinedText(value: unknown, key: string): string {
  return (
    stringAt(value, key) ??
    arrayAt(value, key)
      .filter((line) => typeof line === "string")
      .join("")
  );
}

/** A new file is shown whole, an existing file as a diff. */
export const viewWrite: ViewTool = (call) => {
  const { input, resultData, summary: title } = call;
  const path = stringAt(input, "file_path");
  const text = stringAt(input, "content");
  const hunks = toPatchHunks(resultData);
  if (hunks.length > 0) return { title, parts: [diffPart(path, hunks), ...userChangeParts(call)] };
  if (text === undefined) return { title, parts: resultParts(call) };
  const label = stringAt(resultData, "type") === "create" ? { label: "new file" } : {};
  return {
    title,
    parts: [{ kind: "code", text, language: languageOf(path ?? ""), firstLine: 1, ...label }, ...userChangeParts(call)],
  };
};

/** Edit, and MultiEdit with its list of edits. */
export const viewEdit: ViewTool = (call) => {
  const { input, resultData } = call;
  const noted = toPatchHunks(resultData);
  const hunks = noted.length > 0 ? noted : requestedHunks(input);
  return {
    title: call.summary + (isTrueAt(input, "replace_all") ? " (all occurrences)" : ""),
    parts: [
      ...(hunks.length > 0 ? [diffPart(stringAt(input, "file_path"), hunks)] : resultParts(call)),
      ...userChangeParts(call),
    ],
  };
};

function diffPart(path: string | undefined, hunks: readonly PatchHunk[]): ViewPart {
  return { kind: "diff", path: path ?? null, language: languageOf(path ?? ""), hunks };
}

/** Users may edit a change when they are asked for permission. */
function userChangeParts({ resultData }: ToolCall): ViewPart[] {
  return isTrueAt(resultData, "userModified") ? notePart("changed by the user before it was written", "note") : [];
}

/** The requested replacements, if the resulting patch was not recorded. */
function requestedHunks(input: unknown): PatchHunk[] {
  const edits = Array.isArray(valueAt(input, "edits")) ? arrayAt(input, "edits") : [input];
  return edits.flatMap((edit) => {
    const hunk = changedLines(stringAt(edit, "old_string") ?? "", stringAt(edit, "new_string") ?? "");
    return hunk.lines.length > 0 ? [hunk] : [];
  });
}

/** A replacement as a hunk without line numbers; common lines at both ends become its context. */
function changedLines(before: string, after: string): PatchHunk {
  const [old, fresh] = [splitLines(before), splitLines(after)];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const signed = (sign: string, lines: readonly string[]) => lines.map((line) => sign + line);
  return {
    oldStart: 0,
    newStart: 0,
    lines: [
      ...signed(" ", old.slice(0, head)),
      ...signed("-", old.slice(head, old.length - tail)),
      ...signed("+", fresh.slice(head, fresh.length - tail)),
      ...signed(" ", old.slice(old.length - tail)),
      ...lastBreakNote(before, after),
    ],
  };
}

/** Lines alone do not show that the text after the replaced one moves to another line. */
function lastBreakNote(before: string, after: string): readonly string[] {
  const [had, has] = [before.endsWith("\n"), after.endsWith("\n")];
  if (had === has || before === "" || after === "") return [];
  return [`\\ line break at the end ${has ? "added" : "removed"}`];
}

function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

export const viewNotebookEdit: ViewTool = (call) => {
  const { input, resultData } = call;
  const path = stringAt(input, "notebook_path");
  const text = stringAt(input, "new_source");
  const isMarkdown = (stringAt(input, "cell_type") ?? stringAt(resultData, "cell_type")) === "markdown";
  const language = isMarkdown ? "markdown" : (stringAt(resultData, "language") ?? "python");
  return {
    title: path === undefined ? call.summary : `${path} (${describeCell(call)})`,
    parts: text && editMode(input) !== "delete" ? [{ kind: "code", text, language }] : resultParts(call),
  };
};

/** An inserted cell comes after the named one and gets an id of its own. */
function describeCell({ input, resultData }: ToolCall): string {
  const mode = editMode(input);
  const named = stringAt(input, "cell_id");
  const id = mode === "insert" ? stringAt(resultData, "cell_id") : (named ?? stringAt(resultData, "cell_id"));
  const words = [mode, "cell", id, mode === "insert" && named !== undefined ? `after ${named}` : undefined];
  return words.filter((word) => word !== undefined).join(" ");
}

function editMode(input: unknown): string {
  return stringAt(input, "edit_mode") ?? "replace";
}
