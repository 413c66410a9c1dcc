import type { ApiMessage } from "../format/api-message.js";
import { loadForReplay } from "../library/load-session.js";
import { replaySelection } from "../session/api-replay.js";
import type { Node } from "../session/node.js";
import type { ReplayReport } from "../session/replay-report.js";
import { type ReplaySelection, selectReplay } from "../session/select-replay.js";
import { branchAt } from "./branch-at.js";
import { KeptBodies } from "./kept-bodies.js";
import { BEGINNING_SHARE, leaveOutMiddle } from "./leave-out-middle.js";
import { readEnds } from "./read-ends.js";

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
