import { toJsonText } from "../../format/json.js";
import { escapeInJson } from "../../render/safe-text.js";
import type { Io } from "../io.js";

type Output = Pick<Io, "isTerminal">;

/** How every command prints a value as JSON: for people over several lines, on a terminal harmless. */
export function printedJson(value: unknown, io: Output): string {
  return harmlessJson(`${toJsonText(value, 2)}\n`, io);
}

/** The same in one line. */
export function printedLine(value: unknown, io: Output): string {
  return harmlessJson(`${toJsonText(value)}\n`, io);
}

/** JSON that is written piece by piece. A pipe or a file gets it unchanged; both say the same to a program. */
export function harmlessJson(json: string, { isTerminal }: Output): string {
  return isTerminal ? escapeInJson(json) : json;
}

export function* harmlessPieces(pieces: Iterable<string>, io: Output): Generator<string> {
  for (const piece of pieces) yield harmlessJson(piece, io);
}
