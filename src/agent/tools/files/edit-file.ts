import { z } from "zod";
import { escapePattern } from "../../../redact/escape-pattern.js";
import { createTool } from "../create-tool.js";
import { type Preview, ToolError, type ToolOutcome } from "../tool.js";
import type { ToolContext } from "../tool-context.js";
import { pathsOf, placeOf } from "./judged-file.js";
import { previewOrFail, previewPatch, readSeenFile, type TextFile, toPatch, writeTextFile } from "./write-file.js";

/** The parameters of one replacement. */
const replacement = {
  old_string: z.string().describe("The text to replace, exactly as it stands in the file, without line numbers"),
  new_string: z.string().describe("What to put in its place"),
  replace_all: z.boolean().optional().default(false).describe("Replace every occurrence"),
};

export const editTool = createTool({
  name: "Edit",
  description:
    "Replaces exact text in a file that was read before. old_string must occur exactly once, unless replace_all is set: add lines around it until it is unique. An empty old_string creates a new file.",
  schema: z.object({ file_path: z.string().min(1).describe("The file to change, absolute"), ...replacement }),
  isReadOnly: false,
  action: ({ file_path }, context) => ({ kind: "edit", ...pathsOf(context, file_path) }),
  preview: ({ file_path, ...change }, context) => previewChange(file_path, [change], context),
  run: async ({ file_path, ...change }, context) => {
    const { path, before, after } = changeFile(file_path, [change], context);
    return updated(path, {
      filePath: path,
      oldString: change.old_string,
      newString: change.new_string,
      originalFile: before,
      structuredPatch: toPatch(path, before, after),
      userModified: false,
      replaceAll: change.replace_all,
    });
  },
});

export const multiEditTool = createTool({
  name: "MultiEdit",
  description:
    "Makes several exact replacements in one file, one after the other; either all of them or none. Each follows the rules of Edit.",
  schema: z.object({
    file_path: z.string().min(1).describe("The file to change, absolute"),
    edits: z.array(z.object(replacement)).min(1).describe("The replacements, in order"),
  }),
  isReadOnly: false,
  action: ({ file_path }, context) => ({ kind: "edit", ...pathsOf(context, file_path) }),
  preview: ({ file_path, edits }, context) => previewChange(file_path, edits, context),
  run: async ({ file_path, edits }, context) => {
    const { path, before, after } = changeFile(file_path, edits, context);
    return updated(path, {
      filePath: path,
      edits,
      originalFileContents: before,
      structuredPatch: toPatch(path, before, after),
      userModified: false,
    });
  },
});

interface Change {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

function updated(path: string, data: object): ToolOutcome {
  return { content: `The file ${path} has been updated successfully.`, data };
}

interface ChangedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const OTHER_WAY = "Change it with Bash, in its own encoding.";

/** Makes all changes or none, in a file whose current content the model has read. */
function changeFile(filePath: string, changes: readonly Change[], context: ToolContext): ChangedFile {
  const { file, ...changed } = planChange(filePath, changes, context);
  context.beforeChange(changed.path);
  writeTextFile(placeOf(context, filePath), changed.after, file, context);
  return changed;
}

interface PlannedChange extends ChangedFile {
  readonly file: TextFile | undefined;
}

function planChange(filePath: string, changes: readonly Change[], context: ToolContext): PlannedChange {
  const place = placeOf(context, filePath);
  const { path } = place;
  const file = readSeenFile(place, context);
  if (!file && changes[0]?.old_string !== "") throw new ToolError(`File does not exist: ${path}`, true);
  if (file && !file.isUtf8) throw new ToolError(`${path} is not in UTF-8; an edit would damage it. ${OTHER_WAY}`);
  const before = file?.text ?? "";
  const after = changes.reduce((text, change) => replaceText(text, change, file?.lineEnds === "mixed"), before);
  if (after === before) throw new ToolError("No changes to make: the file would stay as it is.", true);
  return { path, before, after, file };
}

function previewChange(filePath: string, changes: readonly Change[], context: ToolContext): Preview | undefined {
  return previewOrFail(filePath, context, () => {
    const { path, before, after, file } = planChange(filePath, changes, context);
    const places = countPlaces(before, changes, file?.lineEnds === "mixed");
    const isCounted = changes.some(({ replace_all }) => replace_all);
    return {
      data: { filePath: path, structuredPatch: previewPatch(path, before, after) },
      detail: isCounted ? `changes ${formatPlaces(places)} in the file` : undefined,
    };
  });
}

function formatPlaces(places: number): string {
  return places === 1 ? "1 place" : `${places} places`;
}

/** `isMixed`: the file has LF and CRLF. The model saw LF, so both forms are matched. */
function replaceText(text: string, replacement: Change, isMixed: boolean): string {
  const { old_string: from, new_string: to, replace_all: isEverywhere } = replacement;
  if (from === to) throw new ToolError("No changes to make: old_string and new_string are exactly the same.", true);
  if (from === "") {
    if (text === "") return to;
    throw new ToolError("old_string is empty, but the file exists and is not. Name the text to replace.", true);
  }
  const found = findPlaces(text, from, isMixed);
  if (found.length === 0) throw new ToolError(`String to replace not found in file.\nString: ${from}`, true);
  if (found.length > 1 && !isEverywhere) {
    throw new ToolError(
      `Found ${found.length} matches of the string to replace, but replace_all is false. Set replace_all, or add lines around it until it is unique.\nString: ${from}`,
      true,
    );
  }
  return splice(text, found, to);
}

/** The number of places changed by these replacements in order. */
function countPlaces(text: string, replacements: readonly Change[], isMixed: boolean): number {
  let places = 0;
  let current = text;
  for (const replacement of replacements) {
    places += findPlaces(current, replacement.old_string, isMixed).length;
    current = replaceText(current, replacement, isMixed);
  }
  return places;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function findPlaces(text: string, from: string, isMixed: boolean): Span[] {
  if (from === "") return [{ start: 0, end: 0 }];
  return isMixed ? findLoosely(text, from) : findExactly(text, from);
}

function findExactly(text: string, from: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + from.length)) {
    spans.push({ start: at, end: at + from.length });
  }
  return spans;
}

function findLoosely(text: string, from: string): Span[] {
  const pattern = from.replaceAll("\r\n", "\n").split("\n").map(escapePattern).join("\r?\n");
  return [...text.matchAll(new RegExp(pattern, "g"))].map(({ index, 0: match }) => ({
    start: index,
    end: index + match.length,
  }));
}

/** In a file with mixed line endings, new text uses the line endings of the text it replaces. */
function splice(text: string, spans: readonly Span[], to: string): string {
  let result = "";
  let at = 0;
  for (const { start, end } of spans) {
    const old = text.slice(start, end);
    result += text.slice(at, start) + (old.includes("\r\n") ? to.replace(/\r?\n/g, "\r\n") : to);
    at = end;
  }
  return result + text.slice(at);
}
