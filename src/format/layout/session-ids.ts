import { closeSync, openSync, readSync, statSync } from "node:fs";
import { stringAt } from "../json.js";
import { JsonWalker, readString } from "../reader/json-scanner.js";
import { LineSplitter, readRecords } from "../reader/record-reader.js";
import { sessionPaths, transcriptOf } from "./session-paths.js";

/** Nearly every file names its session in the first KB; the larger step is for lines that begin with a long message. */
const HEAD_SIZES = [4 * 1024, 1024 * 1024];
/** A project may have thousands of files to look at: fresh memory for each would cost more than reading it. */
const SMALL_HEAD = Buffer.alloc(4 * 1024);

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
    const head = size === SMALL_HEAD.length ? SMALL_HEAD : Buffer.allocUnsafe(size);
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
    const id = readPlainId(bytes, start, end) ?? findId(bytes, start, end);
    if (id) ids.add(id);
  });
  splitter.push(head);
  splitter.end();
  return [...ids];
}

const KEY = Buffer.from('"sessionId":"');
const BRACES = [0x7b, 0x5b];
const NONE = -1;

/** The id of a record that names it before any nested value, as Claude Code writes it. Undefined where only a walk can tell. */
function readPlainId(bytes: Buffer, start: number, end: number): string | undefined {
  const key = bytes.indexOf(KEY, start);
  if (key === NONE || key >= end) return undefined;
  const isNested = BRACES.some((brace) => {
    const at = bytes.indexOf(brace, start + 1);
    return at !== NONE && at < key;
  });
  return isNested ? undefined : (readString(bytes, key + KEY.length - 1, end) ?? undefined);
}

function findId(bytes: Buffer, start: number, end: number): string | undefined {
  const finder = new SessionIdFinder();
  finder.push(bytes, start, end);
  return finder.found;
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
 * The sessions in the same folder that this one continues or copies, by its first records and all that are copies: a foreign
 * session id, the origin of a fork, the id under which the process of Claude Code started (2.1.325 keeps it after `/clear`), or
 * the session that made a request. After `/background` and `/fork` only the newest copies name the direct source (2.1.326).
 */
export function findEarlierSessions(sessionFile: string): string[] {
  const { id: own, projectDir } = sessionPaths(sessionFile);
  const ids = new Set<string>();
  let ownRecords = 0;
  for (const record of readRecords(sessionFile, { abridge: true })) {
    if (record.kind === "broken") continue;
    const owner = record.kind === "assistant" ? record.requestSessionId : undefined;
    for (const id of [record.sessionId, record.forkedFrom?.sessionId, stringAt(record.raw, "session_id"), owner]) {
      if (id !== undefined && id !== own) ids.add(id);
    }
    const isCopy = record.forkedFrom !== undefined || (owner !== undefined && owner !== own);
    ownRecords = isCopy ? 0 : ownRecords + 1;
    if (ownRecords >= HEAD_RECORDS) break;
  }
  return [...ids].map((id) => transcriptOf(projectDir, id)).filter((path) => statSync(path, { throwIfNoEntry: false }));
}
