import { readFileSync, statSync } from "node:fs";
import { isFileError, UserError, unreadableFile } from "../../errors.js";
import { stringAt, tryParseJson } from "../../format/json.js";
import type { SharedSubagents } from "../../format/layout/files-of-session.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { parseRecords, readRecordStream, readRecords } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import { once } from "../../lazy.js";
import type { SidecarTitle } from "../../session/choose-title.js";
import { describeSession, type Session, type SessionHeader, toHeader } from "../../session/describe-session.js";
import type { PriceTable } from "../../session/messages/cost.js";
import {
  inlineAgents,
  KEPT_BYTES,
  type OpenSession,
  type Outline,
  type OutlineOptions,
  openSession,
  readSession,
} from "../../session/open-session.js";
import { costsOfFiles, type SessionCosts } from "../../session/session-spend.js";
import { type ReadBodies, readBodies, type TurnReader, turnReader } from "../../session/turns/build-turn.js";
import { LIVE_WINDOW_MS } from "../activity.js";
import { type FoundSession, type KnownFacts, knownFacts, type UserData } from "../found-session.js";
import { type ForkContext, findForkContext } from "./fork-context.js";
import { listSubagents, type ReadFile, readSubagentFiles, type Subagent } from "./subagents.js";

export interface LoadOptions extends UserData {
  readonly prices?: PriceTable;
  /** What a session spent, by its path, where the whole library is known; otherwise its own files tell. */
  readonly costsOf?: (path: string) => SessionCosts | undefined;
  /** The same of a session that was read, from the files of its library. */
  readonly costsAmong?: (path: string, files: readonly ReadFile[]) => SessionCosts | undefined;
  readonly roundGapMinutes?: number;
  /** The project's sub-agent files outside session folders, when many sessions are read at once. */
  readonly sharedSubagents?: SharedSubagents;
  readonly now?: number; // ms since the epoch
  /** Longer lines with successful tool results are read abridged: only the start of each text. */
  readonly longestResult?: number; // bytes
  /** Decode a file that is not large once, for its outline and its turns. */
  readonly readsAllTurns?: boolean;
  /** Sessions that forked sub-agents began with, by path: each is read once for all forks. */
  readonly forkParents?: Map<string, LoadedSession>;
  /** Set when `path` may be a copy of the session. */
  readonly found?: FoundSession;
}

/** Title, path and other facts of a session, with what the user added to it. */
export interface KnownHeader extends SessionHeader, KnownFacts {
  readonly path: string;
  /** Lines that Claude Code trimmed from the file, and that the archive still has; missing where there are none. */
  readonly archivedLines?: number;
}

/** A session file read as an outline; bodies are decoded turn by turn, on demand. */
export interface LoadedSession extends TurnReader, WholeSession {
  readonly path: string;
  readonly sizeBytes: number;
  readonly header: KnownHeader;
  readonly outline: Outline;
  subagents(): Subagent[];
  /** A sub-agent as a session of its own. */
  subagentSession(subagent: Subagent): LoadedSession;
  /** The conversation that a forked sub-agent began with; null for any other session or sub-agent. */
  forkContext(): ForkContext<LoadedSession> | null;
}

/** What does not depend on the branch that is shown. */
interface WholeSession {
  /** The same session along the branch that ends at a record, given by its uuid or a unique prefix of it. */
  branch(leaf: string): LoadedSession;
  /** The same without the turns that it shares with the branch which Claude Code resumes; it begins with the one in which they part. */
  branchEnd(leaf: string): LoadedSession;
  /** What the session spent; reads its sub-agents. */
  costs(): SessionCosts;
}

/** Loads a session found by `findSessions`, also one from the archive. */
export function loadFound(found: FoundSession, options: LoadOptions = {}): LoadedSession {
  return loadSession(found.whole?.().path ?? found.open(), { ...options, found });
}

export function loadSession(path: string, options: LoadOptions = {}): LoadedSession {
  const { size } = statFile(path);
  const { readsAllTurns = false, longestResult } = options;
  const keepsBodies = readsAllTurns && size <= KEPT_BYTES;
  const { session, bodiesOf } = readOrExplain(path, () => readSession(path, { keepsBodies, longestResult }));
  return viewSession({ path, sizeBytes: size, bodiesOf }, session, options);
}

/** For resuming a session: decodes what the model reads at once, and passes each record to `keep`. */
export function loadForReplay(path: string, keep: (record: LogRecord) => void): LoadedSession {
  const { size } = statFile(path);
  const session = openSession();
  readOrExplain(path, () => {
    for (const record of readRecords(path, { forReplay: true })) {
      session.push(record);
      keep(record);
    }
  });
  return viewSession({ path, sizeBytes: size }, session, {});
}

function readOrExplain<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw isFileError(error) ? unreadableFile(path, error) : error;
  }
}

interface LoadedFile extends Pick<LoadedSession, "path" | "sizeBytes"> {
  readonly bodiesOf?: ReadBodies;
}

/** The view of a session that was read so far; without `bodiesOf`, bodies are read from the file. */
export function viewSession(file: LoadedFile, session: OpenSession, options: LoadOptions): LoadedSession {
  const { prices, roundGapMinutes } = options;
  const sidecarTitle = readSidecarTitle(file.path);
  const viewOptions: OutlineOptions = {
    liveSince: (options.now ?? Date.now()) - LIVE_WINDOW_MS,
    ...(prices === undefined ? {} : { prices }),
    ...(roundGapMinutes === undefined ? {} : { roundGapMinutes }),
    ...(sidecarTitle === undefined ? {} : { sidecarTitle }),
  };
  const branches = session.viewer(viewOptions);
  const active = branches.view();
  const whole: WholeSession = {
    branch: (leaf) => toLoaded(file, branches.view(findLeaf(leaf, active)), whole, options),
    branchEnd: (leaf) => toLoaded(file, branches.viewEnd(findLeaf(leaf, active)), whole, options),
    costs: () => costsOfSession(file.path, active, options),
  };
  return toLoaded(file, active, whole, options);
}

function costsOfSession(path: string, active: Outline, options: LoadOptions): SessionCosts {
  const known = options.costsOf?.(options.found?.path ?? path);
  if (known) return known;
  const agents = readSubagentFiles(path, sharedSubagents(options), options.prices);
  const among = options.costsAmong?.(options.found?.path ?? path, [{ path, outline: active }, ...agents]);
  const outlines = agents.map(({ outline }) => outline);
  return among ?? costsOfFiles(active, outlines, options.prices);
}

function sharedSubagents({ sharedSubagents: shared, found }: LoadOptions): SharedSubagents | undefined {
  return shared ?? found?.sharedSubagents();
}

function toLoaded(file: LoadedFile, outline: Outline, whole: WholeSession, options: LoadOptions): LoadedSession {
  const { path, sizeBytes, bodiesOf = (nodes) => readBodies(path, nodes, options.longestResult) } = file;
  const header = once(() => toKnownHeader(path, outline, options));
  const { forkParents = new Map<string, LoadedSession>() } = options;
  const inlineById = once(() => new Map(inlineAgents(outline).map((agent) => [agent.agentId, agent])));
  return {
    path,
    sizeBytes,
    get header() {
      return header();
    },
    outline,
    ...turnReader(outline, bodiesOf),
    subagents: () => listSubagents(path, outline, readSubagentFiles(path, sharedSubagents(options), options.prices)),
    subagentSession: (subagent) => {
      if (subagent.path !== path) return loadSession(subagent.path, { ...toSubagentOptions(options), forkParents });
      const own = inlineById().get(subagent.agentId)?.outline ?? outline;
      return toLoaded(file, own, { ...whole, costs: () => costsOfFiles(own, [], options.prices) }, options);
    },
    forkContext: once(() =>
      findForkContext(path, outline, {
        load: (parent) => {
          const known = forkParents.get(parent) ?? loadSession(parent, toSubagentOptions(options));
          forkParents.set(parent, known);
          return known;
        },
        view: (inherited) => toLoaded(file, inherited, whole, options),
      }),
    ),
    ...whole,
  };
}

/** `found` describes the session, not the sub-agent. */
function toSubagentOptions({ found: _, costsOf: _costsOf, costsAmong: _among, ...options }: LoadOptions): LoadOptions {
  return options;
}

function toKnownHeader(file: string, outline: Outline, options: LoadOptions): KnownHeader {
  const { id } = sessionPaths(file);
  const path = options.found?.path ?? file;
  const facts = knownFacts(id, options, options.found);
  const archivedLines = options.found?.whole?.().archivedLines ?? 0;
  const trimmed = archivedLines === 0 ? {} : { archivedLines };
  const header = { ...toHeader(outline, { id, path }), path, ...facts, ...trimmed };
  return facts.userTitle === null ? header : { ...header, title: facts.userTitle, titleSource: "user" };
}

/** A full uuid may name any record; a prefix must name the end of a branch. */
function findLeaf(leaf: string, outline: Outline): string {
  if (outline.uuids.has(leaf)) return leaf;
  const ends = [outline.activeLeaf, ...outline.deadBranches.map((dead) => dead.leaf)].filter((uuid) => uuid !== null);
  const matches = ends.filter((uuid) => leaf !== "" && uuid.startsWith(leaf));
  if (matches[0] !== undefined && matches.length === 1) return matches[0];
  const hint = ends.length > 0 ? `the branches end at ${ends.join(", ")}` : "the session has no conversation";
  throw new UserError("not-found", `no branch ends at "${leaf}"`, hint);
}

function statFile(path: string): { size: number } {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new UserError("not-found", `no such file: ${path}`, "`turnlog list` lists all sessions");
  if (!stats.isFile())
    throw new UserError("unreadable", `not a file: ${path}`, "give the path of a session file, or a session id");
  return stats;
}

/** Claude Code 2.1.325 mirrors titles given by the user here. An unreadable file counts as missing. */
export function readSidecarTitle(path: string): SidecarTitle | undefined {
  const { customTitleFile } = sessionPaths(path);
  const own = statSync(customTitleFile, { throwIfNoEntry: false });
  if (!own?.isFile()) return undefined;
  const text = stringAt(
    tryParseJson(attempt(customTitleFile, [], () => readFileSync(customTitleFile, "utf8")) ?? ""),
    "customTitle",
  );
  const session = statSync(path, { throwIfNoEntry: false });
  return text === undefined ? undefined : { text, isNewer: session !== undefined && own.mtimeMs > session.mtimeMs };
}

/** A file, a text in memory, or a stream of bytes. */
export type TranscriptSource =
  | { readonly path: string }
  | { readonly text: string | Uint8Array }
  | { readonly stream: AsyncIterable<Uint8Array | string> };

/** Parses a whole session into memory. For files of hundreds of megabytes use `loadSession` of `turnlog/library`. */
export async function parseTranscript(source: TranscriptSource): Promise<Session> {
  const path = "path" in source ? source.path : null;
  const records = await readAll(source);
  return describeSession(records, { id: path === null ? namedId(records) : sessionPaths(path).id, path });
}

/** Without a file name, the session id in the records. */
function namedId(records: readonly LogRecord[]): string {
  const named = records.find((record) => record.kind !== "broken" && record.sessionId !== undefined);
  return named && named.kind !== "broken" ? (named.sessionId ?? "") : "";
}

async function readAll(source: TranscriptSource): Promise<LogRecord[]> {
  if ("path" in source) return [...readRecords(source.path)];
  if ("text" in source) return parseRecords(source.text);
  const records: LogRecord[] = [];
  for await (const record of readRecordStream(source.stream)) records.push(record);
  return records;
}
