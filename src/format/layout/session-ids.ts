import { closeSync, openSync, readSync, statSync } from "node:fs";
import { stringAt } from "../json.js";
import { readRecords } from "../reader/record-reader.js";
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
    const lines = head.toString("utf8", 0, length).split("\n");
    const ids = lines.flatMap((line) => topLevelString(line, "sessionId") || []);
    if (ids.length > 0 || length < size) return [...new Set(ids)];
  }
  return [];
}

/** Reads a key's string value out of an object's text, which may be cut off: JSON.parse would refuse it. */
function topLevelString(json: string, key: string): string | undefined {
  let depth = 0;
  let lastString = "";
  let name: string | undefined;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') {
      const end = endOfString(json, at);
      if (end === undefined) return undefined;
      lastString = json.slice(at + 1, end);
      if (depth === 1 && name === key) return lastString;
      at = end;
    } else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    else if (depth === 1 && char === ":") name = lastString;
    else if (depth === 1 && char === ",") name = undefined;
  }
  return undefined;
}

function endOfString(json: string, start: number): number | undefined {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return undefined;
}

const HEAD_RECORDS = 64;

/**
 * The sessions beside this one that it continues or copies, as its first records tell: a foreign session id, the origin of
 * a fork, or the id under which the client's process began (2.1.325 keeps it after `/clear`).
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
