import { lstatSync, readdirSync } from "node:fs";
import { escapePattern } from "../../../redact/escape-pattern.js";
import { resolveAsPrograms } from "../../workspace.js";
import type { Piece } from "./shell-node.js";

const MAX_PATHS = 2_000;
const MAX_GLOBS = 4;

export interface Expansion {
  /** As bash would pass them: relative ones stay relative. Empty: nothing matches, and bash passes the text itself. */
  readonly paths: readonly string[];
  /** Folders whose names are read for it. */
  readonly folders: readonly string[];
}

export function isGlob(pieces: readonly Piece[]): boolean {
  return pieces.some(({ kind }) => kind === "glob");
}

/** Undefined: too many paths, or too many stars to compare at once. Hidden names are matched only by a pattern that starts with a dot. */
export function expandGlob(pieces: readonly Piece[], folder: string): Expansion | undefined {
  const folders: string[] = [];
  const segments = toSegments(pieces);
  if (segments.some((segment) => segment.filter(({ isGlob }) => isGlob).length > MAX_GLOBS)) return undefined;
  const [first = [], ...rest] = segments;
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
  if (/^\*+$/.test(text)) return ".*";
  if (/^\?+$/.test(text)) return ".".repeat(text.length);
  // A set that is not plain may contain any character.
  return isPlainSet(text) ? text.replace(/^\[!/, "[^") : ".";
}

/** `[abc]`, `[!0-9]`: a few signs, and ranges that mean the same everywhere. */
export function isPlainSet(text: string): boolean {
  const members = /^\[[!^]?((?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[\w.,@%+])+)\]$/.exec(text)?.[1];
  return members !== undefined && [...members.matchAll(/(.)-(.)/g)].every(([, low = "", high = ""]) => low <= high);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not a readable folder: bash finds nothing there either
  }
}
