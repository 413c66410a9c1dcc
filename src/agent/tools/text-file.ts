import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { structuredPatch } from "diff";
import { atomicWrite } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";

/** A text file with the way in which it ends its lines, so that an edit changes nothing else. */
export interface TextFile {
  /** With LF, as the model sees it. */
  readonly text: string;
  readonly hasBom: boolean;
  /** `mixed`: lines end in both ways, and each keeps its own. */
  readonly lineEnds: "lf" | "crlf" | "mixed";
  /** In another encoding, what was read is not all of it. */
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

/** Writes new text with the line ends and the byte order mark of the old. */
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

/** In the client's shape. */
export function toPatch(path: string, before: string, after: string): readonly PatchHunk[] {
  const { hunks } = structuredPatch(path, path, before, after, "", "", { context: 3 });
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines: lines.filter((line) => !line.startsWith("\\")),
  }));
}
