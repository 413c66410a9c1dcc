import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { structuredPatch } from "diff";
import { z } from "zod";
import { isFileError } from "../../../errors.js";
import { atomicWrite } from "../../../store/atomic-write.js";
import { makeFolder } from "../../../store/make-folder.js";
import { createTool, ToolError } from "../tool.js";

export const writeTool = createTool({
  name: "Write",
  description:
    "Writes a whole file, new or over an existing one. An existing file must have been read before. Prefer Edit for changes to existing files.",
  schema: z.object({
    file_path: z.string().min(1).describe("The file to write, absolute"),
    content: z.string().describe("Its whole new content"),
  }),
  isReadOnly: false,
  action: ({ file_path }, { workspace }) => ({ kind: "edit", ...workspace.place(file_path) }),
  preview({ file_path, content }, { workspace }) {
    const path = workspace.resolve(file_path);
    const old = readIfFile(path);
    if (!old) return undefined;
    const structuredPatch = previewPatch(path, old.text, content);
    return { data: { type: "update", filePath: path, structuredPatch }, detail: undefined };
  },
  async run({ file_path, content }, { workspace, beforeChange }) {
    const path = workspace.resolve(file_path);
    const exists = existsSync(path);
    if (exists && !statSync(path).isFile()) throw new ToolError(`${path} is not a file.`, true);
    if (exists) refuseUnread(path, workspace.freshness(path));
    const old = exists ? readTextFile(path) : undefined;
    beforeChange(path);
    writeTextFile(path, content, old);
    workspace.noteSeen(path);
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

/** Undefined if there is nothing to read; the call itself will say why. */
function readIfFile(path: string): TextFile | undefined {
  try {
    return statSync(path).isFile() ? readTextFile(path) : undefined;
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}

export function refuseUnread(path: string, freshness: "fresh" | "stale" | "unseen"): void {
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

export function readTextFile(path: string): TextFile {
  const bytes = readFileSync(path);
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
export function writeTextFile(path: string, text: string, like: TextFile | undefined): void {
  const body = like?.lineEnds === "crlf" ? text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : text;
  makeFolder(dirname(path), 0o777);
  atomicWrite(path, (like?.hasBom ? "\uFEFF" : "") + body, { newMode: 0o666 });
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
