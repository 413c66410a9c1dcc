import { readFileSync } from "node:fs";
import { isObject, type Json, stringAt } from "./json-at.js";

/** One line that is a JSON object. `type` falls back to the role, as in rows that carry no type (FACTS 13.1). */
export interface Row {
  readonly line: number;
  readonly type: string;
  readonly uuid: string | null;
  readonly json: Json;
}

export interface SessionFile {
  readonly rows: readonly Row[];
  readonly records: number;
  readonly brokenLines: number;
}

export function readSession(file: string): SessionFile {
  const lines = readFileSync(file, "utf8")
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((text, index) => ({ text: trimNuls(text.replace(/\r$/, "")), line: index + 1 }))
    .filter(({ text }) => text.trim() !== "");
  const rows = lines.map(({ text, line }) => toRow(tryParse(text), line)).filter((row) => row !== null);
  return { rows: rewriteDuplicates(rows), records: lines.length, brokenLines: lines.length - rows.length };
}

function trimNuls(text: string): string {
  let [from, to] = [0, text.length];
  while (text[from] === "\0") from += 1;
  while (to > from && text[to - 1] === "\0") to -= 1;
  return text.slice(from, to);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toRow(json: unknown, line: number): Row | null {
  if (!isObject(json)) return null;
  if (json["subtype"] === "voice_call_talk") return toRow(asTyped(json), line);
  const type = stringAt(json, "type") ?? stringAt(json, "message", "role") ?? stringAt(json, "role") ?? "";
  return { line, type, uuid: stringAt(json, "uuid"), json };
}

/** FACTS-2.1.326 B7: talk on a voice call is stored as a system row, and read as what it was. */
function asTyped({ subtype: _subtype, isMeta: _isMeta, origin: _origin, content, fold, ...row }: Json): Json {
  const attachment = { type: "queued_command", prompt: content, humanTurn: true };
  return fold === undefined
    ? { ...row, type: "user", message: { role: "user", content } }
    : { ...row, type: "attachment", attachment };
}

/** FACTS 3.2: a repeated uuid keeps its first place and takes its last content. */
function rewriteDuplicates(rows: readonly Row[]): Row[] {
  const latest = new Map(rows.map((row) => [row.uuid ?? row, row]));
  const seen = new Set<unknown>();
  return rows
    .filter((row) => {
      const isFirst = !seen.has(row.uuid ?? row);
      seen.add(row.uuid ?? row);
      return isFirst;
    })
    .map((row) => ({ ...(latest.get(row.uuid ?? row) ?? row), line: row.line }));
}
