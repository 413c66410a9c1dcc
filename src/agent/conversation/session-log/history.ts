import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../../errors.js";
import { isObject, valueAt } from "../../../format/json.js";
import { sessionPaths } from "../../../format/layout/session-paths.js";
import { parseRecords, readRecordsAt } from "../../../format/reader/record-reader.js";
import type { ApiMessage } from "../../../format/record/api-message.js";
import { type LoadedSession, loadForReplay, loadSession } from "../../../library/load/load-session.js";
import { bodyPlace, type Node } from "../../../session/graph/node.js";
import type { Outline } from "../../../session/open-session.js";
import { replaySelection } from "../../../session/replay/api-replay.js";
import type { ReplayReport } from "../../../session/replay/replay-report.js";
import { type ReplaySelection, selectReplay } from "../../../session/replay/select-replay.js";
import { atomicWrite, atomicWriteChunks } from "../../../store/atomic-write.js";
import { makeFolder } from "../../../store/make-folder.js";
import { promptOfBackups, readBackupLines } from "./file-history.js";
import { BEGINNING_SHARE, KeptBodies, leaveOutMiddle, readEnds } from "./long-history.js";

/** What a session contains when it is resumed. */
export interface History {
  readonly messages: readonly ApiMessage[];
  /** The parent of the next record. */
  readonly leaf: string | null;
  readonly lastTime: number;
  readonly turns: number;
  readonly slug: string | undefined;
  readonly lastPrompt: string;
  /** Calls at the end without a result: the process died while they ran. */
  readonly openCalls: readonly OpenCall[];
  readonly report: ReplayReport;
  /** Records omitted from the middle of a conversation that is too long for a request. */
  readonly recordsLeftOut: number;
  /** Number of unreadable lines, at least. */
  readonly brokenLines: number;
}

export interface OpenCall {
  readonly id: string;
  readonly callUuid: string;
}

/** The size limit of a request to the Messages API. */
const MAX_REPLAYED_BYTES = 32_000_000;

/** Reads a session of turnlog or Claude Code; `at` is the record after which everything is omitted. */
export function readHistory(path: string, at?: string, maxBytes = MAX_REPLAYED_BYTES): History {
  const ends =
    at === undefined ? readEnds(path, maxBytes * BEGINNING_SHARE, maxBytes * (1 - BEGINNING_SHARE)) : undefined;
  const { outline, selection, bodiesOf, unread, turns, brokenLines } = ends
    ? { ...ends, bodiesOf: () => ends.bodies }
    : readWhole(path, at);
  const shortened = leaveOutMiddle(selection, maxBytes, bodiesOf, unread);
  const { messages, report } = replaySelection(shortened.selection, shortened.bodies);
  return {
    messages,
    report,
    recordsLeftOut: shortened.recordsLeftOut,
    brokenLines,
    leaf: at ?? resumeLeaf(outline),
    lastTime: outline.active.reduce((latest, { time }) => Math.max(latest, time ?? 0), 0),
    turns,
    slug: outline.facts.slug ?? undefined,
    lastPrompt: outline.turns.at(-1)?.nodes[0]?.text ?? "",
    openCalls: findOpenCalls(selection),
  };
}

/** Where Claude Code continues: after the records that follow the last message, such as the duration of the turn. */
function resumeLeaf({ activeLeaf, active, facts }: Outline): string | null {
  if (facts.leafHint?.isExplicit) return activeLeaf;
  return active.reduce<string | null>((leaf, { uuid, parentUuid, kind }) => {
    const isAfter = parentUuid === leaf && leaf !== null && (kind === "system" || kind === "attachment");
    return isAfter ? (uuid ?? leaf) : leaf;
  }, activeLeaf);
}

function readWhole(path: string, at: string | undefined) {
  const kept = new KeptBodies(path);
  const loaded = loadForReplay(path, (record) => kept.keep(record));
  const { outline } = at === undefined ? loaded : branchAt(loaded, at);
  const bodiesOf = (nodes: readonly Node[]) => kept.of(nodes);
  const { facts, turns } = outline;
  return {
    outline,
    selection: selectReplay(outline),
    bodiesOf,
    unread: undefined,
    turns: turns.length,
    brokenLines: facts.brokenLines,
  };
}

/** Only calls of the last answer: earlier ones are repaired in memory, because nothing can be inserted between old records. */
function findOpenCalls({ nodes }: ReplaySelection): readonly OpenCall[] {
  const at = nodes.findLastIndex(({ kind, role }) => kind === "assistant" || (kind === "user" && role === "prompt"));
  const message = nodes[at]?.kind === "assistant" ? nodes[at]?.message : undefined;
  if (message === undefined) return [];
  const answered = new Set(nodes.flatMap(({ results = [] }) => results.map(({ id }) => id)));
  return nodes
    .filter((node) => node.message === message)
    .flatMap(({ calls = [], uuid }) => calls.map(({ id }) => ({ id, callUuid: uuid ?? "" })))
    .filter(({ id }) => !answered.has(id));
}

/** Copies the conversation into a new file as Claude Code's forks do: same uuids, new session id. What was backed up comes along. */
export async function forkHistory(from: string, to: string, at?: string): Promise<void> {
  const session = loadSession(from);
  const { outline } = at === undefined ? session : branchAt(session, at);
  const source = sessionPaths(from).id;
  const { id } = sessionPaths(to);
  function* lines(): Generator<string> {
    for (const record of readRecordsAt(from, outline.active.map(bodyPlace))) {
      if (record.kind === "broken" || !isObject(record.raw) || record.kind === "progress") continue;
      const uuid = record.raw["uuid"];
      const { sessionKind: _kind, ...raw } = record.raw;
      const owner = record.kind === "assistant" ? { requestSessionId: record.requestSessionId ?? source } : {};
      const forkedFrom = { sessionId: source, messageUuid: uuid };
      yield `${JSON.stringify({ ...raw, sessionId: id, forkedFrom, ...owner })}\n`;
    }
    const copied = new Set(outline.active.map(({ uuid }) => uuid));
    for (const line of readBackupLines(from)) if (copied.has(promptOfBackups(line))) yield `${JSON.stringify(line)}\n`;
  }
  await atomicWriteChunks(to, lines(), { overwrite: false });
}

/** The same for the file of a sub-agent, whole and at once: the sub-agent goes on meanwhile. */
export function forkAgentFile(from: string, to: string, sessionId: string): void {
  const lines = parseRecords(readFileSync(from)).flatMap((record) => {
    if (record.kind === "broken" || !isObject(record.raw)) return [];
    const owner = { requestSessionId: valueAt(record.raw, "requestSessionId") ?? record.raw["sessionId"] };
    const isCopy = record.kind === "assistant" ? owner : {};
    return `${JSON.stringify({ ...record.raw, sessionId, ...isCopy })}\n`;
  });
  makeFolder(dirname(to));
  atomicWrite(to, lines.join(""), { overwrite: false });
}

/** The conversation up to a record, given by its full uuid. */
function branchAt(session: LoadedSession, at: string): LoadedSession {
  if (session.outline.uuids.has(at)) return session.branch(at);
  throw new UserError(
    "not-found",
    `the session has no record ${at}`,
    "`turnlog show --json` prints the uuid of each record",
  );
}
