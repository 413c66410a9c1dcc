import { stringAt, tryParseJson } from "../../format/json.js";
import { findConfigPlaces } from "../../format/layout/config-places.js";
import { listSessionItems } from "../../format/layout/files-of-session.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { configRootOf, isSessionId, sessionPaths } from "../../format/layout/session-paths.js";
import { LineSplitter, readChunks, readRecords } from "../../format/reader/record-reader.js";
import { createRedactor, type Removed } from "../../redact/create-redactor.js";
import type { FoundSession, UserData } from "../found-session.js";
import {
  findHistoryLines,
  type HistoryLine,
  historyPath,
  listHistoryLines,
  pastePath,
  readHistory,
} from "../shared-files/prompt-history.js";
import { findSessions } from "./find-sessions.js";

/** The place of a secret, without the secret itself. */
export interface SecretPlace extends Removed {
  readonly sessionId: string;
  readonly path: string;
  readonly line: number;
}

/** Yields every key, token and password in the sessions below the roots, in their side files, and in what people typed. */
export function* scanSecrets(
  roots: readonly string[],
  problems: FileProblem[],
  userData: UserData = {},
): Generator<SecretPlace> {
  const found = findSessions(roots, userData);
  problems.push(...found.problems);
  for (const session of found.sessions) yield* scanFiles(session, problems);
  for (const root of roots) {
    const history = readHistory(root);
    yield* scanHistory(root, history, listHistoryLines(history), problems);
  }
}

/** Scans a session with its sub-agents and side files, what lies under its id elsewhere, and its lines of the prompt history. */
export function* scanSession(session: FoundSession, problems: FileProblem[]): Generator<SecretPlace> {
  yield* scanFiles(session, problems);
  if (!isSessionId(session.id)) return;
  const history = readHistory(session.root);
  yield* scanHistory(session.root, history, findHistoryLines(history, session.id), problems);
}

/** Sessions that are gone may still have lines here. A paste is read once, with the first line that has it. */
function* scanHistory(
  root: string,
  history: Buffer,
  lines: readonly HistoryLine[],
  problems: FileProblem[],
): Generator<SecretPlace> {
  const path = historyPath(root);
  const scanned = new Set<string>();
  let [line, counted] = [1, 0];
  let removed: Removed[] = [];
  const redactor = createRedactor({ level: "mask", onRemoved: (secret) => removed.push(secret) });
  for (const { start, end, sessionId, pastes } of lines) {
    for (; counted < start; counted++) if (history[counted] === NEWLINE) line += 1;
    const text = history.toString("utf8", start, end);
    const json = tryParseJson(text);
    if (json === undefined) redactor.text(text, "history");
    else redactor.json(json, "history");
    for (const secret of removed) yield { ...secret, sessionId, path, line };
    removed = [];
    for (const paste of pastes) {
      if (!scanned.has(paste)) yield* scanText(pastePath(root, paste), sessionId, problems);
      scanned.add(paste);
    }
  }
}

const NEWLINE = 0x0a;

function* scanFiles(session: FoundSession, problems: FileProblem[]): Generator<SecretPlace> {
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
