import type { PreservedFields } from "../../format/record/record.js";
import type { Node } from "../graph/node.js";
import type { Outline } from "../open-session.js";

/** The records that make up the model's context at the end of a branch, in the order in which it reads them. */
export interface ReplaySelection {
  readonly nodes: readonly Node[];
  /** Those of them that were written before the compaction and preserved by it. */
  readonly kept: readonly Node[];
  /** The line of the summary that it starts with. */
  readonly compactionLine: number | null;
  /** How many records a compaction preserved that are not on this branch. */
  readonly missingPreserved: number;
}

/** From the last compaction on: its attachments, its summary, the records that it preserved, and what followed. */
export function selectReplay(outline: Outline): ReplaySelection {
  const all = [...outline.inherited, ...outline.active].filter(
    ({ isSidechain }) => !isSidechain || outline.isAgentFile,
  );
  const at = all.findLastIndex(({ role }) => role === "compactSummary");
  const summary = all[at];
  if (!summary) return { nodes: all, kept: [], compactionLine: null, missingPreserved: 0 };
  const before = all.slice(0, at);
  const rest = all.slice(at + 1);
  const boundary = boundaryOf(summary, before, outline);
  const { preserved = null } = outline.compactions.find(({ line }) => line === boundary?.line) ?? {};
  const asked = preservedUuids(preserved, before);
  const named = before.filter(({ uuid }) => uuid !== undefined && asked.has(uuid));
  const kept = withRelatives(named, before, rest);
  const attached = attachedTo(boundary, before).filter((node) => !kept.includes(node));
  return {
    nodes: [...attached, summary, ...kept, ...rest],
    kept,
    compactionLine: summary.line,
    missingPreserved: asked.size - named.length,
  };
}

/** What a forked sub-agent was sent: the conversation before it, then its own, unless that begins with a summary. */
export function joinSelections(before: ReplaySelection, own: ReplaySelection): ReplaySelection {
  if (own.compactionLine !== null) return own;
  return { ...before, nodes: [...before.nodes, ...own.nodes] };
}

/** The boundary above a summary. Automatic compactions of 2.1.325 and later put attachments between the two. */
function boundaryOf(summary: Node, before: readonly Node[], { compactions }: Outline): Node | undefined {
  const paired = compactions.find(({ summaryNode }) => summaryNode?.line === summary.line);
  const boundaries = before.filter(({ role }) => role === "boundary");
  return (
    boundaries.findLast(({ uuid }) => uuid !== undefined && uuid === summary.parentUuid) ??
    boundaries.findLast(({ line }) => line === paired?.line)
  );
}

function attachedTo(boundary: Node | undefined, before: readonly Node[]): Node[] {
  return boundary ? before.slice(before.indexOf(boundary)).filter(({ kind }) => kind === "attachment") : [];
}

/** A preserved record comes with the rest of its message, and every call in the context with its results. */
function withRelatives(kept: readonly Node[], before: readonly Node[], rest: readonly Node[]): Node[] {
  const own = new Set(kept);
  const messages = new Set(kept.flatMap(({ message }) => message ?? []));
  const isKept = (node: Node) => own.has(node) || (node.message !== undefined && messages.has(node.message));
  const calls = new Set([...before.filter(isKept), ...rest].flatMap((node) => (node.calls ?? []).map(({ id }) => id)));
  return before.filter((node) => isKept(node) || isResultOf(node, calls));
}

function isResultOf({ kind, results = [] }: Node, calls: ReadonlySet<string>): boolean {
  return kind === "user" && results.some(({ id }) => calls.has(id));
}

/** The records that the compactions of a branch preserved word for word; they are shown where they were written. */
export interface PreservedRecords {
  readonly lines: ReadonlySet<number>;
  readonly uuids: ReadonlySet<string>;
  /** How many messages and prompts each compaction preserved, by its line. */
  readonly counts: ReadonlyMap<number, number>;
}

export function findPreservedRecords({ active, compactions }: Outline): PreservedRecords {
  const found = compactions.map(({ line, preserved }) => ({ line, nodes: preservedNodes(preserved, active) }));
  const nodes = found.flatMap((compaction) => compaction.nodes);
  return {
    lines: new Set(nodes.map(({ line }) => line)),
    uuids: new Set(nodes.flatMap(({ uuid }) => uuid ?? [])),
    counts: new Map(found.map((compaction) => [compaction.line, countMessages(compaction.nodes)])),
  };
}

/** Where only head and tail are named, everything on the path from the tail up to the head. */
function preservedUuids(preserved: PreservedFields | null, nodes: readonly Node[]): Set<string> {
  if (!preserved) return new Set();
  const { uuids, head, tail } = preserved;
  if (uuids.length > 0 || head === undefined || tail === undefined) return new Set(uuids);
  const parentOf = new Map(nodes.map(({ uuid, parentUuid }) => [uuid, parentUuid]));
  const chain = new Set<string>();
  for (let at: string | null | undefined = tail; typeof at === "string" && !chain.has(at); at = parentOf.get(at)) {
    chain.add(at);
    if (at === head) return chain;
  }
  return new Set([head, tail]);
}

function preservedNodes(preserved: PreservedFields | null, active: readonly Node[]): Node[] {
  const asked = preservedUuids(preserved, active);
  return asked.size === 0 ? [] : active.filter(({ uuid }) => uuid !== undefined && asked.has(uuid));
}

/** A tool result counts with its call. */
function countMessages(nodes: readonly Node[]): number {
  const messages = nodes.filter(
    ({ kind, role }) => kind === "assistant" || role === "queuedPrompt" || (kind === "user" && role !== "toolResult"),
  );
  return new Set(messages.map((node) => node.message ?? node)).size;
}

/** The first record of a branch that Claude Code sends: it starts at the last compaction. */
export function firstSentNode(branch: readonly Node[]): Node | undefined {
  const start = branch.findLastIndex(({ role }) => role === "boundary" || role === "compactSummary");
  return branch.slice(Math.max(0, start)).find(isSent);
}

/** Messages that Claude Code wrote in place of the model are not sent. */
function isSent({ kind, role }: Node): boolean {
  return kind === "user" || role === "answer" || role === "localCommand" || role === "localOutput";
}
