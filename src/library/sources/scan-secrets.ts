import { stringAt } from "../../format/json.js";
import { findConfigPlaces } from "../../format/layout/config-places.js";
import { listSessionItems } from "../../format/layout/files-of-session.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { configRootOf, sessionPaths } from "../../format/layout/session-paths.js";
import { LineSplitter, readChunks, readRecords } from "../../format/reader/record-reader.js";
import { createRedactor, type Removed } from "../../redact/create-redactor.js";
import type { FoundSession, UserData } from "../found-session.js";
import { findSessions } from "./find-sessions.js";

/** The place of a secret, without the secret itself. */
export interface SecretPlace extends Removed {
  readonly sessionId: string;
  readonly path: string;
  readonly line: number;
}

/** Yields every key, token and password in the sessions below the roots and in their side files. */
export function* scanSecrets(
  roots: readonly string[],
  problems: FileProblem[],
  userData: UserData = {},
): Generator<SecretPlace> {
  const found = findSessions(roots, userData);
  problems.push(...found.problems);
  for (const session of found.sessions) yield* scanSession(session, problems);
}

/** Scans a session with its sub-agents, its side files and file history, and what lies under its id elsewhere. */
export function* scanSession(session: FoundSession, problems: FileProblem[]): Generator<SecretPlace> {
  const path = session.open();
  const { id } = sessionPaths(path);
  const configRoot = session.archived ? configRootOf(path) : session.root;
  const items = listSessionItems(path, {
    configRoot,
    places: session.archived ? findConfigPlaces(configRoot) : session.places(),
    shared: session.sharedSubagents(),
    links: "follow",
    problems: [],
  });
  for (const { path: file, kind } of items) {
    if (kind === "folder") continue;
    yield* file.endsWith(".jsonl") ? scanRecords(file, id, problems) : scanText(file, id, problems);
  }
}

/** Every other file is read as text, line by line. */
function* scanText(path: string, sessionId: string, problems: FileProblem[]): Generator<SecretPlace> {
  const found: SecretPlace[] = [];
  let line = 0;
  const redactor = createRedactor({
    level: "mask",
    onRemoved: (secret) => found.push({ ...secret, sessionId, path, line }),
  });
  const splitter = new LineSplitter(({ bytes, start, end, number }) => {
    line = number;
    redactor.text(bytes.toString("utf8", start, end), "side file");
  });
  attempt(path, problems, () => {
    for (const chunk of readChunks(path)) splitter.push(chunk);
    splitter.end();
  });
  yield* found;
}

function* scanRecords(path: string, sessionId: string, problems: FileProblem[]): Generator<SecretPlace> {
  let removed: Removed[] = [];
  const redactor = createRedactor({ level: "mask", onRemoved: (secret) => removed.push(secret) });
  try {
    for (const record of readRecords(path)) {
      if (record.kind === "broken") redactor.text(record.text, "broken line");
      else redactor.json(record.raw, record.type);
      for (const secret of removed) yield { ...secret, sessionId, path, line: record.line };
      removed = [];
    }
  } catch (error) {
    problems.push({ path, reason: stringAt(error, "message") ?? String(error) });
  }
}
