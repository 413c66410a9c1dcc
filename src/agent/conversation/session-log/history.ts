import { UserError } from "../../../errors.js";
import { isObject } from "../../../format/json.js";
import { sessionPaths } from "../../../format/layout/session-paths.js";
import { readRecordsAt } from "../../../format/reader/record-reader.js";
import type { ApiMessage } from "../../../format/record/api-message.js";
import { type LoadedSession, loadForReplay, loadSession } from "../../../library/load/load-session.js";
import { bodyPlace, type Node } from "../../../session/graph/node.js";
import { replaySelection } from "../../../session/replay/api-replay.js";
import type { ReplayReport } from "../../../session/replay/replay-report.js";
import { type ReplaySelection, selectReplay } from "../../../session/replay/select-replay.js";
import { atomicWriteChunks } from "../../../store/atomic-write.js";
import { BEGINNING_SHARE, KeptBodies, leaveOutMiddle, readEnds } from "./long-history.js";

/** What a session holds that is gone on with. */
export interface History {
  readonly messages: readonly ApiMessage[];
  /** What the next line hangs on. */
  readonly leaf: string | null;
  readonly lastTime: number;
  readonly turns: number;
  readonly slug: string | undefined;
  readonly lastPrompt: string;
  /** Calls at the end that nobody answered: the process died while they ran. */
  readonly openCalls: readonly OpenCall[];
  readonly report: ReplayReport;
  /** From the middle of a conversation that is too long for any request. */
  readonly recordsLeftOut: number;
  /** At least so many lines cannot be read. */
  readonly brokenLines: number;
}

export interface OpenCall {
  readonly id: string;
  readonly callUuid: string;
}

/** The Messages API takes no request of more, so that no model can be told it all. */
const MAX_REPLAYED_BYTES = 32_000_000;

/** Of a session of ours or of the real client; `at` is a record after which everything is left away. */
export function readHistory(path: string, at?: string, maxBytes = MAX_REPLAYED_BYTES): History {
  const ends =
    at === undefined ? readEnds(path, maxBytes * BEGINNING_SHARE, maxBytes * (1 - BEGINNING_SHARE)) : undefined;
  const { outline, selection, bodiesOf, unread, turns, brokenLines } = ends
    ? { ...ends, bodiesOf: () => ends.bodies }
    : readWhole(path, at);
  const told = leaveOutMiddle(selection, maxBytes, bodiesOf, unread);
  const { messages, report } = replaySelection(told.selection, told.bodies);
  return {
    messages,
    report,
    recordsLeftOut: told.recordsLeftOut,
    brokenLines,
    leaf: at ?? outline.activeLeaf,
    lastTime: outline.active.reduce((latest, { time }) => Math.max(latest, time ?? 0), 0),
    turns,
    slug: outline.facts.slug ?? undefined,
    lastPrompt: outline.turns.at(-1)?.nodes[0]?.text ?? "",
    openCalls: findOpenCalls(selection),
  };
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

/** Only those of the last answer: what was left open earlier is mended in memory, as nothing may be put between old lines. */
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

/** Copies the conversation of a session into a new file, as the client's own forks do: same uuids, new session id. */
export async function forkHistory(from: string, to: string, at?: string): Promise<void> {
  const session = loadSession(from);
  const { outline } = at === undefined ? session : branchAt(session, at);
  const source = sessionPaths(from).id;
  const { id } = sessionPaths(to);
  function* lines(): Generator<string> {
    for (const record of readRecordsAt(from, outline.active.map(bodyPlace))) {
      if (record.kind === "broken" || !isObject(record.raw) || record.kind === "progress") continue;
      const uuid = record.raw["uuid"];
      const forkedFrom = { sessionId: source, messageUuid: uuid };
      yield `${JSON.stringify({ ...record.raw, sessionId: id, forkedFrom })}\n`;
    }
  }
  await atomicWriteChunks(to, lines(), { overwrite: false });
}

/** The conversation up to a record, which is named in full. */
function branchAt(session: LoadedSession, at: string): LoadedSession {
  if (session.outline.uuids.has(at)) return session.branch(at);
  throw new UserError(
    "not-found",
    `the session has no record ${at}`,
    "`turnlog show --json` tells the uuid of each record",
  );
}
