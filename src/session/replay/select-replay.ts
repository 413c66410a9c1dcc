import type { PreservedFields } from "../../format/record/record.js";
import { once } from "../../lazy.js";
import type { Node } from "../graph/node.js";
import type { Outline } from "../open-session.js";
import { type CompactionStart, findCompactionStarts } from "../turns/compactions.js";

/** The records that make up the model's context at the end of a branch, in the order in which it reads them. */
export interface ReplaySelection {
  readonly nodes: readonly Node[];
  /** Those of them that were written before the compaction and preserved by it. */
  readonly kept: readonly Node[];
  /** The line of the compaction's summary. */
  readonly compactionLine: number | null;
  /** How many records a compaction preserved that are not on this branch. */
  readonly missingPreserved: number;
  /** What the model saw instead of stored results, by the id of the call. */
  readonly replaced?: ReadonlyMap<string, string>;
}

/**
 * From the last compaction on. What it preserved directly follows the record that it names as the anchor: its summary, or its
 * boundary where later messages were summarised and earlier ones kept.
 */
export function selectReplay(outline: Outline): ReplaySelection {
  const { replacements: replaced } = outline;
  return replaced.size === 0 ? selectNodes(outline) : { ...selectNodes(outline), replaced };
}

function selectNodes(outline: Outline): ReplaySelection {
  const all = [...outline.inherited, ...outline.active].filter(
    ({ isSidechain }) => !isSidechain || outline.isAgentFile,
  );
  if (outline.resumesEmpty) return { nodes: [], kept: [], compactionLine: null, missingPreserved: 0 };
  return selectFrom(all);
}

function selectFrom(all: readonly Node[]): ReplaySelection {
  const last = lastStart(
    all,
    findCompactionStarts(all).filter(({ summaryAt }) => summaryAt >= 0),
  );
  if (!last) return { nodes: all, kept: [], compactionLine: null, missingPreserved: 0 };
  const before = all.slice(0, last.at);
  const rest = all.slice(last.at);
  const { preserved = null } = rest[0] ?? {};
  const asked = preservedUuids(before)(preserved);
  const named = before.filter(({ uuid }) => uuid !== undefined && asked.has(uuid));
  const kept = inNamedOrder(withRelatives(named, before, rest), preserved);
  const found = new Set([...named, ...rest].map(({ uuid }) => uuid));
  const anchorAt = anchorIn(rest, preserved, last.summaryAt - last.at);
  const nodes = [...rest.slice(0, anchorAt + 1), ...kept, ...rest.slice(anchorAt + 1)];
  return {
    nodes: nodes.filter(({ role }) => role !== "boundary"),
    kept,
    compactionLine: all[last.summaryAt]?.line ?? null,
    missingPreserved: [...asked].filter((uuid) => !found.has(uuid)).length,
  };
}

/**
 * Where the context begins. A summary that continues a record behind a boundary does not begin another one: it is a kept one, or
 * follows kept messages that were written behind the boundary.
 */
function lastStart(nodes: readonly Node[], starts: readonly CompactionStart[]): CompactionStart | undefined {
  const boundary = starts.findLast(({ at }) => nodes[at]?.role === "boundary");
  const last = starts.at(-1);
  const isContinued = last !== undefined && typeof nodes[last.at]?.parentUuid === "string";
  return boundary && isContinued ? boundary : last;
}

/** What a forked sub-agent was sent: the conversation before it, then its own, unless that begins with a summary. */
export function joinSelections(before: ReplaySelection, own: ReplaySelection): ReplaySelection {
  if (own.compactionLine !== null) return own;
  return { ...before, nodes: [...before.nodes, ...own.nodes] };
}

/** The position of the record that preserved ones follow. */
function anchorIn(rest: readonly Node[], preserved: PreservedFields | null, summaryAt: number): number {
  const anchor = preserved?.anchor;
  const at = anchor === undefined ? -1 : rest.findIndex(({ uuid }) => uuid === anchor);
  return at < 0 ? summaryAt : at;
}

/** A preserved record comes with the rest of its message, and every call in the context with its results. */
function withRelatives(kept: readonly Node[], before: readonly Node[], rest: readonly Node[]): Node[] {
  const own = new Set(kept);
  const messages = new Set(kept.flatMap(({ message }) => message ?? []));
  const isKept = (node: Node) => own.has(node) || (node.message !== undefined && messages.has(node.message));
  const calls = new Set([...before.filter(isKept), ...rest].flatMap((node) => (node.calls ?? []).map(({ id }) => id)));
  return before.filter((node) => isKept(node) || isResultOf(node, calls));
}

/**
 * Claude Code places them in the order in which the compaction names them: an earlier summary precedes what that one preserved,
 * which is older. A record that is not named stays behind the one before it.
 */
function inNamedOrder(kept: readonly Node[], preserved: PreservedFields | null): Node[] {
  const places = new Map(preserved?.uuids.map((uuid, place) => [uuid, place]));
  let last = -1;
  const ranked = kept.map((node) => {
    last = places.get(node.uuid ?? "") ?? last;
    return { node, place: last };
  });
  return ranked.sort((a, b) => a.place - b.place).map(({ node }) => node);
}

function isResultOf({ kind, results = [] }: Node, calls: ReadonlySet<string>): boolean {
  return kind === "user" && results.some(({ id }) => calls.has(id));
}

/** The records that the compactions of a branch preserved word for word; they are shown where they were written. */
export interface PreservedRecords {
  readonly lines: ReadonlySet<number>;
  readonly uuids: ReadonlySet<string>;
  /** By the line of the compaction. */
  readonly byCompaction: ReadonlyMap<number, KeptMessages>;
}

/** What one compaction preserved. */
export interface KeptMessages {
  readonly keptMessages: number; // and prompts
  /** The first and the last turn that hold them; null: none of them is in a turn. */
  readonly keptTurns: readonly [first: number, last: number] | null;
}

export function findPreservedRecords({ active, compactions, turns }: Outline): PreservedRecords {
  const shownTurns = compactions.length === 0 ? [] : turns;
  const turnOf = new Map(shownTurns.flatMap((turn) => turn.nodes.map((node) => [node, turn.index] as const)));
  const nodesOf = preservedNodes(active);
  const found = compactions.map(({ line, preserved }) => ({ line, nodes: nodesOf(preserved) }));
  const nodes = found.flatMap((compaction) => compaction.nodes);
  return {
    lines: new Set(nodes.map(({ line }) => line)),
    uuids: new Set(nodes.flatMap(({ uuid }) => uuid ?? [])),
    byCompaction: new Map(found.map(({ line, nodes: kept }) => [line, describeKept(kept, turnOf)])),
  };
}

function describeKept(nodes: readonly Node[], turnOf: ReadonlyMap<Node, number>): KeptMessages {
  const turns = nodes.flatMap((node) => turnOf.get(node) ?? []).toSorted((a, b) => a - b);
  const [first, last] = [turns[0], turns.at(-1)];
  const keptTurns = first === undefined || last === undefined ? null : ([first, last] as const);
  return { keptMessages: countMessages(nodes), keptTurns };
}

/** What the compactions of a branch preserved, in numbers. */
export interface PreservedCounts {
  /** Messages and prompts, by the index of their turn. */
  readonly byTurn: ReadonlyMap<number, number>;
  /** Records that a compaction names and that the branch does not have. */
  readonly missing: number;
}

/** Without one of the records that a compaction preserved, Claude Code drops all of them. */
export function countPreserved({ active, compactions, turns }: Outline): PreservedCounts {
  const nodes = new Map(active.flatMap((node) => (node.uuid === undefined ? [] : [[node.uuid, node] as const])));
  const whole = new Set<Node>();
  const uuidsOf = preservedUuids(active);
  let missing = 0;
  for (const { preserved } of compactions) {
    const asked = [...uuidsOf(preserved)];
    const found = asked.flatMap((uuid) => nodes.get(uuid) ?? []);
    missing += asked.length - found.length;
    if (found.length === asked.length) for (const node of found) whole.add(node);
  }
  const counts = turns.map(
    (turn) => [turn.index, countMessages(turn.nodes.filter((node) => whole.has(node)))] as const,
  );
  return { byTurn: new Map(counts), missing };
}

/** Where only head and tail are named, everything on the path from the tail up to the head. */
function preservedUuids(nodes: readonly Node[]): (preserved: PreservedFields | null) => Set<string> {
  const places = once(() => placesOf(nodes));
  return (preserved) => {
    if (!preserved) return new Set();
    const { uuids, head, tail } = preserved;
    if (uuids.length > 0 || head === undefined || tail === undefined) return new Set(uuids);
    const chain = new Set<string>();
    const placeOfHead = places().get(head) ?? Number.POSITIVE_INFINITY;
    for (let at: string | null | undefined = tail; typeof at === "string" && !chain.has(at); ) {
      chain.add(at);
      if (at === head) return chain;
      const place: number = places().get(at) ?? -1;
      if (place < placeOfHead) break; // parents precede their children
      at = nodes[place]?.parentUuid;
    }
    return new Set([head, tail]);
  };
}

function placesOf(nodes: readonly Node[]): Map<string | undefined, number> {
  return new Map(nodes.map(({ uuid }, place) => [uuid, place]));
}

function preservedNodes(active: readonly Node[]): (preserved: PreservedFields | null) => Node[] {
  const uuidsOf = preservedUuids(active);
  const places = once(() => placesOf(active));
  return (preserved) => {
    const found = [...uuidsOf(preserved)].flatMap((uuid) => places().get(uuid) ?? []);
    return found.sort((a, b) => a - b).flatMap((place) => active[place] ?? []);
  };
}

/** A tool result counts with its call. */
function countMessages(nodes: readonly Node[]): number {
  const messages = nodes.filter(
    ({ kind, role }) => kind === "assistant" || role === "queuedPrompt" || (kind === "user" && role !== "toolResult"),
  );
  return new Set(messages.map((node) => node.message ?? node)).size;
}

/** The first record of a branch that Claude Code sends: it starts at the last compaction, at its boundary where it has no summary. */
export function firstSentNode(branch: readonly Node[]): Node | undefined {
  const start = lastStart(branch, findCompactionStarts(branch));
  const sent = start?.summaryAt === -1 ? branch.slice(start.at) : selectFrom(branch).nodes;
  return sent.find(isSent);
}

/** Messages that Claude Code wrote in place of the model are not sent. */
function isSent({ kind, role }: Node): boolean {
  return kind === "user" || role === "answer" || role === "localCommand" || role === "localOutput";
}
