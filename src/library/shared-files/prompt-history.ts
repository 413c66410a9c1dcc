import { join } from "node:path";
import { numberAt, objectAt, stringAt, tryParseJson } from "../../format/json.js";
import { readSmallFile } from "../../format/layout/small-file.js";
import type { ByteRange } from "./rewrite-file.js";

/** A line of `history.jsonl`, which holds what people typed in all sessions. */
export interface HistoryLine extends ByteRange {
  /** Empty where the line names none. */
  readonly sessionId: string;
  /** Long pastes are in `paste-cache/<hash>.txt`, once for all lines with that content. */
  readonly pastes: readonly string[];
}

const MAX_BYTES = 1024 * 1024 * 1024;
const LF = 0x0a;

export function historyPath(configRoot: string): string {
  return join(configRoot, "history.jsonl");
}

export function pastePath(configRoot: string, contentHash: string): string {
  return join(configRoot, "paste-cache", `${contentHash}.txt`);
}

export function readHistory(configRoot: string): Buffer {
  return readSmallFile(historyPath(configRoot), { maxBytes: MAX_BYTES, followsLinks: true }) ?? Buffer.alloc(0);
}

/** The lines that a session wrote. Lines of others that only quote its id are not among them. */
export function findHistoryLines(history: Buffer, sessionId: string): HistoryLine[] {
  const lines: HistoryLine[] = [];
  for (let at = history.indexOf(sessionId); at >= 0; ) {
    const line = lineAround(history, at);
    const json = tryParseJson(history.toString("utf8", line.start, line.end));
    if (stringAt(json, "sessionId") === sessionId) lines.push({ ...line, sessionId, pastes: pastesIn(json) });
    at = history.indexOf(sessionId, line.end);
  }
  return lines;
}

/** All lines, those that cannot be parsed included. */
export function listHistoryLines(history: Buffer): HistoryLine[] {
  const lines: HistoryLine[] = [];
  for (let start = 0; start < history.length; ) {
    const line = lineAround(history, start);
    const json = tryParseJson(history.toString("utf8", line.start, line.end));
    lines.push({ ...line, sessionId: stringAt(json, "sessionId") ?? "", pastes: pastesIn(json) });
    start = line.end;
  }
  return lines;
}

/** The pastes of lines that no other line names. */
export function exclusivePastes(history: Buffer, own: readonly HistoryLine[]): string[] {
  const starts = new Set(own.map(({ start }) => start));
  const isUsedElsewhere = (hash: string) => {
    for (let at = history.indexOf(hash); at >= 0; ) {
      const { start, end } = lineAround(history, at);
      if (!starts.has(start)) return true;
      at = history.indexOf(hash, end);
    }
    return false;
  };
  return [...new Set(own.flatMap(({ pastes }) => pastes))].filter((hash) => !isUsedElsewhere(hash));
}

/** A name that is no hash leads nowhere. */
function pastesIn(json: unknown): string[] {
  const pasted = Object.values(objectAt(json, "pastedContents") ?? {});
  const hashes = pasted.flatMap((paste) => stringAt(paste, "contentHash") ?? []);
  return hashes.filter((hash) => /^[0-9a-f]{8,64}$/.test(hash));
}

/** With its newline, if it has one. */
function lineAround(bytes: Buffer, at: number): ByteRange {
  const newline = bytes.indexOf(LF, at);
  return { start: at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1, end: newline < 0 ? bytes.length : newline + 1 };
}

export function splitHistory(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const { end } = lineAround(bytes, start);
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

/** Takes out each of the lines once, wherever it is now. */
export function withoutLines(history: Buffer, lines: readonly Buffer[]): Buffer {
  return Buffer.concat(withoutEqual(splitHistory(history), lines));
}

/**
 * The history with lines put back that are missing. Each goes before the first line that is younger, so that the order of
 * time stays; one without a time goes to the end.
 */
export function withLinesByTime(history: Buffer, lines: readonly Buffer[]): Buffer {
  const present = splitHistory(history);
  const result: Buffer[] = [];
  let next = 0;
  for (const line of withoutEqual(lines, present)) {
    const time = timeOf(line) ?? Number.POSITIVE_INFINITY;
    for (let line = present[next]; line && (timeOf(line) ?? Number.NEGATIVE_INFINITY) <= time; line = present[++next]) {
      result.push(line);
    }
    result.push(line);
  }
  return joinLines([...result, ...present.slice(next)]);
}

function timeOf(line: Buffer): number | undefined {
  return numberAt(tryParseJson(line.toString("utf8")), "timestamp");
}

/** As often as `others` has a line, it is left out. */
export function withoutEqual(lines: readonly Buffer[], others: readonly Buffer[]): Buffer[] {
  const counts = new Map<string, number>();
  for (const line of others) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  return lines.filter((line) => {
    const left = counts.get(keyOf(line)) ?? 0;
    if (left > 0) counts.set(keyOf(line), left - 1);
    return left === 0;
  });
}

function keyOf(line: Buffer): string {
  return line.toString("latin1").replace(/\n$/, "");
}

/** Only the last line may lack its newline. */
function joinLines(lines: readonly Buffer[]): Buffer {
  const newline = Buffer.from("\n");
  return Buffer.concat(
    lines.flatMap((line, at) => (at < lines.length - 1 && line.at(-1) !== LF ? [line, newline] : [line])),
  );
}
