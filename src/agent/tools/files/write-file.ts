import { isUtf8 } from "node:buffer";
import { structuredPatch } from "diff";
import { z } from "zod";
import { isFileError } from "../../../errors.js";
import { createTool } from "../create-tool.js";
import { type Preview, ToolError } from "../tool.js";
import type { ToolContext } from "../tool-context.js";
import { type JudgedFile, type JudgedPlace, openJudged, pathsOf, placeOf, writeJudged } from "./judged-file.js";

export const writeTool = createTool({
  name: "Write",
  description:
    "Writes a whole file, new or over an existing one. An existing file must have been read before. Prefer Edit for changes to existing files.",
  schema: z.object({
    file_path: z.string().min(1).describe("The file to write, absolute"),
    content: z.string().describe("Its whole new content"),
  }),
  isReadOnly: false,
  action: ({ file_path }, context) => ({ kind: "edit", ...pathsOf(context, file_path) }),
  preview: ({ file_path, content }, context) =>
    previewOrFail(file_path, context, () => {
      const place = placeOf(context, file_path);
      const { path } = place;
      const old = readSeenFile(place, context);
      if (!old) return undefined;
      const structuredPatch = previewPatch(path, old.text, content);
      return { data: { type: "update", filePath: path, structuredPatch }, detail: undefined };
    }),
  async run({ file_path, content }, context) {
    const place = placeOf(context, file_path);
    const { path } = place;
    const old = readSeenFile(place, context);
    context.beforeChange(path);
    writeTextFile(place, content, old, context);
    return {
      content: old ? `The file ${path} has been updated successfully.` : `File created successfully at: ${path}`,
      data: {
        type: old ? "update" : "create",
        filePath: path,
        content,
        structuredPatch: old ? toPatch(path, old.text, content) : [],
        originalFile: old?.text ?? null,
        userModified: false,
      },
    };
  },
});

/**
 * A change in the project that would fail anyway fails before the person is asked. Outside of it the model learns nothing about a
 * file before the person has allowed it.
 */
export function previewOrFail(
  filePath: string,
  context: ToolContext,
  preview: () => Preview | undefined,
): Preview | undefined {
  try {
    return preview();
  } catch (error) {
    const isExpected = error instanceof ToolError || isFileError(error);
    if (!isExpected || context.workspace.isInside(pathsOf(context, filePath).path)) throw error;
    return undefined;
  }
}

function readFile<Result>(place: JudgedPlace, read: (file: JudgedFile) => Result): Result | undefined {
  const file = openJudged(place);
  try {
    return file && read(file);
  } finally {
    file?.close();
  }
}

/** The file as the model knows it; undefined if there is none. */
export function readSeenFile(place: JudgedPlace, { workspace }: ToolContext): TextFile | undefined {
  return readFile(place, (file) => {
    if (!file.stats.isFile()) throw new ToolError(`${place.path} is not a file.`, true);
    refuseUnread(place.path, workspace.freshness(place.path, file.descriptor));
    return toTextFile(file.readAll());
  });
}

function refuseUnread(path: string, freshness: "fresh" | "stale" | "unseen"): void {
  if (freshness === "unseen")
    throw new ToolError(`File has not been read yet. Read ${path} first before writing to it.`, true);
  if (freshness === "stale") {
    throw new ToolError(
      `${path} has been modified since it was read, by the user or by a program. Read it again before writing to it.`,
      true,
    );
  }
}

/** A text file with its line endings, so that an edit preserves them. */
export interface TextFile {
  /** With LF line endings, as the model sees it. */
  readonly text: string;
  readonly hasBom: boolean;
  /** `mixed`: LF and CRLF; each line keeps its own. */
  readonly lineEnds: "lf" | "crlf" | "mixed";
  /** False: the decoded text has lost bytes. */
  readonly isUtf8: boolean;
}

function toTextFile(bytes: Buffer): TextFile {
  const whole = bytes.toString("utf8");
  const hasBom = whole.startsWith("\uFEFF");
  const raw = hasBom ? whole.slice(1) : whole;
  const crlf = raw.split("\r\n").length - 1;
  const all = raw.split("\n").length - 1;
  const lineEnds = crlf === 0 ? "lf" : crlf === all ? "crlf" : "mixed";
  const text = lineEnds === "mixed" ? raw : raw.replaceAll("\r\n", "\n");
  return { text, hasBom, lineEnds, isUtf8: isUtf8(bytes) };
}

/** Writes text with the line endings and byte order mark of the old file. */
export function writeTextFile(
  place: JudgedPlace,
  text: string,
  like: TextFile | undefined,
  { workspace }: ToolContext,
): void {
  const body = like?.lineEnds === "crlf" ? text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : text;
  writeJudged(place, (like?.hasBom ? "\uFEFF" : "") + body, (path, file) => workspace.noteSeen(path, file));
}

export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** In Claude Code's format, which does not note a missing line break at the end. */
export function toPatch(path: string, before: string, after: string): readonly PatchHunk[] {
  return previewPatch(path, before, after).map((hunk) => ({
    ...hunk,
    lines: hunk.lines.filter((line) => !line.startsWith("\\")),
  }));
}

/** Every difference, a line break at the end included. */
export function previewPatch(path: string, before: string, after: string): readonly PatchHunk[] {
  const { hunks } = structuredPatch(path, path, before, after, "", "", { context: 3 });
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    ...{ oldStart, oldLines, newStart, newLines, lines },
  }));
}
