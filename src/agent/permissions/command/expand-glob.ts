import { lstatSync, readdirSync } from "node:fs";
import { escapePattern } from "../../../redact/escape-pattern.js";
import { resolveAsPrograms } from "../../workspace.js";
import type { Piece } from "./shell-node.js";

const MAX_PATHS = 2_000;

export interface Expansion {
  /** As bash would pass them: relative ones stay relative. Empty: nothing matches, and bash passes the text itself. */
  readonly paths: readonly string[];
  /** Folders whose names are read for it. */
  readonly folders: readonly string[];
}

export function isGlob(pieces: readonly Piece[]): boolean {
  return pieces.some(({ kind }) => kind === "glob");
}

/** Undefined: too many paths. Hidden names are matched only by a pattern that starts with a dot. */
export function expandGlob(pieces: readonly Piece[], folder: string): Expansion | undefined {
  const folders: string[] = [];
  const [first = [], ...rest] = toSegments(pieces);
  let paths = [""];
  for (const [at, segment] of [first, ...rest].entries()) {
    const isLast = at === rest.length;
    const next: string[] = [];
    for (const path of paths) {
      for (const name of namesLike(segment, path, folder, folders)) next.push(path + name + (isLast ? "" : "/"));
      if (next.length > MAX_PATHS) return undefined;
    }
    paths = next;
  }
  return { paths: paths.filter((path) => exists(path, folder)).sort(), folders };
}

function exists(path: string, folder: string): boolean {
  try {
    const found = lstatSync(resolveAsPrograms(folder, path), { throwIfNoEntry: false });
    return found !== undefined && (!path.endsWith("/") || found.isDirectory());
  } catch {
    return false; // in a folder that may not be entered
  }
}

type Segment = readonly { readonly text: string; readonly isGlob: boolean }[];

function toSegments(pieces: readonly Piece[]): readonly Segment[] {
  const segments: { text: string; isGlob: boolean }[][] = [[]];
  for (const piece of pieces) {
    const isPattern = piece.kind === "glob";
    const [head = "", ...tail] = "text" in piece ? (isPattern ? [piece.text] : piece.text.split("/")) : [];
    segments.at(-1)?.push({ text: head, isGlob: isPattern });
    for (const text of tail) segments.push([{ text, isGlob: false }]);
  }
  return segments;
}

function namesLike(segment: Segment, path: string, folder: string, read: string[]): readonly string[] {
  if (!segment.some(({ isGlob }) => isGlob)) return [segment.map(({ text }) => text).join("")];
  const place = resolveAsPrograms(folder, path === "" ? "." : path);
  read.push(place);
  const pattern = new RegExp(`^${segment.map(toPattern).join("")}$`, "s");
  const isHidden = segment
    .map(({ text }) => text)
    .join("")
    .startsWith(".");
  const names = isHidden ? [".", "..", ...namesIn(place)] : namesIn(place);
  return names.filter((name) => name.startsWith(".") === isHidden && pattern.test(name));
}

function toPattern({ text, isGlob }: Segment[number]): string {
  if (!isGlob) return escapePattern(text);
  if (text === "*") return ".*";
  if (text === "?") return ".";
  // `[!a-c]`: brackets hold only letters, digits, a few signs and ranges of one kind.
  return text.replace(/^\[!/, "[^");
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not a readable folder: bash finds nothing there either
  }
}
