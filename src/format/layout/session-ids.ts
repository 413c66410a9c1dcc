import { closeSync, openSync, readSync, statSync } from "node:fs";
import { stringAt } from "../json.js";
import { JsonWalker } from "../reader/json-scanner.js";
import { LineSplitter, readRecords } from "../reader/record-reader.js";
import { sessionPaths, transcriptOf } from "./session-paths.js";

/** Nearly every file names its session in the first KB; the larger step is for lines that begin with a long message. */
const HEAD_SIZES = [4 * 1024, 1024 * 1024];

/** The session ids that lines near the start of the file carry at their top level, each once. */
export function findSessionIdsInHead(path: string): string[] {
  const file = openSync(path, "r");
  try {
    return findInSteps(file);
  } finally {
    closeSync(file);
  }
}

function findInSteps(file: number): string[] {
  for (const size of HEAD_SIZES) {
    const head = Buffer.alloc(size);
    const length = readSync(file, head, 0, size, 0);
    const ids = idsInLines(head.subarray(0, length));
    if (ids.length > 0 || length < size) return ids;
  }
  return [];
}

/** The last line may be cut off. */
function idsInLines(head: Buffer): string[] {
  const ids = new Set<string>();
  const splitter = new LineSplitter(({ bytes, start, end }) => {
    const finder = new SessionIdFinder();
    finder.push(bytes, start, end);
    if (finder.found) ids.add(finder.found);
  });
  splitter.push(head);
  splitter.end();
  return [...ids];
}

const COMMA = 0x2c;
const COLON = 0x3a;

/** Finds the first `sessionId` at the top level of a record, also where the record is damaged or cut off further on. */
class SessionIdFinder extends JsonWalker {
  found: string | undefined;
  #lastText = "";
  #key: string | undefined;

  protected override passText(bytes: Buffer, start: number, end: number): void {
    if (this.depth === 1 && this.found === undefined) this.#lastText = bytes.toString("utf8", start, end);
  }

  protected override closeString(): void {
    if (this.depth === 1 && this.#key === "sessionId") this.found ??= this.#lastText;
  }

  protected override passByte(byte: number): void {
    if (this.depth !== 1) return;
    if (byte === COLON) this.#key = this.#lastText;
    else if (byte === COMMA) this.#key = undefined;
  }
}

const HEAD_RECORDS = 64;

/**
 * The sessions in the same folder that this one continues or copies, by its first records: a foreign session id, the origin of
 * a fork, or the id under which the process of Claude Code started (2.1.325 keeps it after `/clear`).
 */
export function findEarlierSessions(sessionFile: string): string[] {
  const { id: own, projectDir } = sessionPaths(sessionFile);
  const ids = new Set<string>();
  let seen = 0;
  for (const record of readRecords(sessionFile, { abridge: true })) {
    if (record.kind === "broken") continue;
    for (const id of [record.sessionId, record.forkedFrom?.sessionId, stringAt(record.raw, "session_id")]) {
      if (id !== undefined && id !== own) ids.add(id);
    }
    if (++seen >= HEAD_RECORDS) break;
  }
  return [...ids].map((id) => transcriptOf(projectDir, id)).filter((path) => statSync(path, { throwIfNoEntry: false }));
}
