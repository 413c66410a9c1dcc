import { readFileSync } from "node:fs";
import { redactLines, redactTextFile } from "../edit/write/redact-file.js";
import { stringAt, tryParseJson } from "../format/json.js";
import { findConfigPlaces } from "../format/layout/config-places.js";
import { listSessionItems } from "../format/layout/files-of-session.js";
import type { FileProblem } from "../format/layout/folder-listing.js";
import { configRootOf, isSessionId, sessionPaths } from "../format/layout/session-paths.js";
import type { FoundSession, UserData } from "../library/found-session.js";
import {
  findHistoryLines,
  type HistoryLine,
  historyPath,
  listHistoryLines,
  pastePath,
  readHistory,
} from "../library/shared-files/prompt-history.js";
import { findSessions } from "../library/sources/find-sessions.js";
import type { Redactor, Removed } from "../redact/create-redactor.js";
import { maskingRedactors } from "./redaction.js";
import type { Environment } from "./settings.js";

/** The place of a secret, without the secret itself. */
export interface SecretPlace extends Removed {
  readonly sessionId: string;
  readonly path: string;
  /** Of the file; in a transcript, the line is the record. */
  readonly line: number;
}

export interface SecretScan {
  /** Yields every key, token and password in the sessions below the roots, in their side files, and in what people typed. */
  all(roots: readonly string[], userData?: UserData): Generator<SecretPlace>;
  /** Of a session with its sub-agents and side files, what lies under its id elsewhere, and its lines of the prompt history. */
  session(session: FoundSession): Generator<SecretPlace>;
}

/** Finds what an export or a redacted copy removes: files are read by the same functions, and the copy is thrown away. */
export async function openScan(environment: Environment, problems: FileProblem[]): Promise<SecretScan> {
  const createRedactor = await maskingRedactors(environment);
  const scanner: Scanner = { createRedactor, problems };
  return {
    *all(roots, userData = {}) {
      const found = findSessions(roots, userData);
      problems.push(...found.problems);
      for (const session of found.sessions) yield* scanFiles(session, scanner);
      for (const root of roots) {
        const history = readHistory(root);
        yield* scanHistory(root, history, listHistoryLines(history), scanner);
      }
    },
    *session(session) {
      yield* scanFiles(session, scanner);
      if (!isSessionId(session.id)) return;
      const history = readHistory(session.root);
      yield* scanHistory(session.root, history, findHistoryLines(history, session.id), scanner);
    },
  };
}

interface Scanner {
  createRedactor(onRemoved: (secret: Removed) => void): Redactor;
  readonly problems: FileProblem[];
}

/** Sessions that are gone may still have lines here. A paste is read once, with the first line that has it. */
function* scanHistory(
  root: string,
  history: Buffer,
  lines: readonly HistoryLine[],
  scanner: Scanner,
): Generator<SecretPlace> {
  const path = historyPath(root);
  const scanned = new Set<string>();
  let [line, counted] = [1, 0];
  const removed: Removed[] = [];
  const redactor = scanner.createRedactor((secret) => removed.push(secret));
  for (const { start, end, sessionId, pastes } of lines) {
    for (; counted < start; counted++) if (history[counted] === NEWLINE) line += 1;
    const text = history.toString("utf8", start, end);
    const json = tryParseJson(text);
    if (json === undefined) redactor.text(text, "history");
    else redactor.json(json, "history");
    for (const secret of removed.splice(0)) yield { ...secret, sessionId, path, line };
    for (const paste of pastes) {
      if (!scanned.has(paste)) yield* scanFile(pastePath(root, paste), sessionId, scanner);
      scanned.add(paste);
    }
  }
}

const NEWLINE = 0x0a;

function* scanFiles(session: FoundSession, scanner: Scanner): Generator<SecretPlace> {
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
  for (const { path: file, kind } of items) if (kind !== "folder") yield* scanFile(file, id, scanner);
}

/** Transcripts, also those that a rewrite left behind, record by record; every other file as one text. */
function* scanFile(path: string, sessionId: string, { createRedactor, problems }: Scanner): Generator<SecretPlace> {
  const found: SecretPlace[] = [];
  let record: number | undefined;
  const { json: clean } = createRedactor(({ kind, place, fingerprint, line }) =>
    found.push({ kind, place, fingerprint, sessionId, path, line: record ?? line }),
  );
  try {
    if (/\.jsonl(?:\.[^/\\]+)?$/.test(path)) {
      const lines = () =>
        redactLines(path, clean, (number) => {
          record = number;
        });
      if (!isAnyFound(lines(), found)) return;
      for (const _ of lines()) yield* found.splice(0); // again, because secrets are known now that stand bare before their names
      return;
    }
    // A binary file cannot be redacted, but what it holds should be known.
    if (redactTextFile(path, clean) === undefined) clean(readFileSync(path, "latin1"), "binary file");
  } catch (error) {
    problems.push({ path, reason: stringAt(error, "message") ?? String(error) });
  }
  yield* found;
}

/** Reads to the end, because what is found last may stand first, too. */
function isAnyFound(lines: Iterable<unknown>, found: SecretPlace[]): boolean {
  let isAny = false;
  for (const _ of lines) {
    isAny ||= found.length > 0;
    found.length = 0;
  }
  return isAny;
}
