import { UserError } from "../../errors.js";
import type { LogRecord } from "../../format/record.js";
import { readRecords } from "../../format/record-reader.js";
import type { LoadedSession } from "../../library/load-session.js";
import type { Clean } from "../../redact/clean.js";
import type { RawAnswer, RawRecord } from "../api/turns.js";
import { cutTexts } from "../cut-texts.js";

const TEXT_CHARACTERS = 1_000_000;

/** The records of a line as they were written. Reading begins at the nearest line before it whose place is known. */
export function viewRaw(session: LoadedSession, line: number, clean: Clean): RawAnswer {
  const records: RawRecord[] = [];
  let isLast = true;
  for (const record of readRecords(session.path, placeBefore(session, line))) {
    isLast = record.line <= line;
    if (!isLast) break;
    if (record.line === line) records.push(toRaw(record));
  }
  if (records.length === 0 && isLast)
    throw new UserError("not-found", `line ${line} holds no record`, "lines are counted from 1");
  const { value, isCut } = cutTexts(clean(records, "record"), TEXT_CHARACTERS);
  return { line, records: value, isCut, isLast };
}

function placeBefore({ outline }: LoadedSession, line: number): { readonly offset: number; readonly line: number } {
  let best = { offset: 0, line: 1 };
  for (const node of outline.active) {
    if (node.line <= line && node.line > best.line && node.bodyLine === undefined) best = node;
  }
  return { offset: best.offset, line: best.line };
}

function toRaw(record: LogRecord): RawRecord {
  return { kind: record.kind, raw: record.kind === "broken" ? record.text : record.raw };
}
