import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { openSession } from "../../../src/session/open-session.js";
import { pairToolCalls, type ToolCall } from "../../../src/session/turns/tool-calls.js";

const TEST = join(import.meta.dirname, "..", "..");

export interface RecordedCall {
  readonly file: string;
  readonly call: ToolCall;
}

/** Every tool call that clients recorded, rewound branches and sub-agents included. */
export function recordedCalls(): RecordedCall[] {
  return ["corpus", "recorded"].flatMap(transcripts).flatMap((file) => {
    const records = parseRecords(readFileSync(join(TEST, file)));
    const session = openSession();
    for (const record of records) session.push(record);
    return pairToolCalls(records, session.view().notifications).toolCalls.map((call) => ({ file, call }));
  });
}

function transcripts(folder: string): string[] {
  return readdirSync(join(TEST, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl") && !path.endsWith("history.jsonl"))
    .toSorted()
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`);
}

/** One call of each kind: same tool, same status, same shape of the structured result. */
export function differentCalls(calls: readonly RecordedCall[]): RecordedCall[] {
  const kinds = new Map<string, RecordedCall>();
  for (const recorded of calls) {
    const { name, status, input, resultData, notification } = recorded.call;
    const kind = JSON.stringify([name, status, keysOf(input), keysOf(resultData), notification?.status]);
    if (!kinds.has(kind)) kinds.set(kind, recorded);
  }
  return [...kinds.values()];
}

function keysOf(value: unknown): string {
  return typeof value === "object" && value !== null ? Object.keys(value).toSorted().join() : typeof value;
}
