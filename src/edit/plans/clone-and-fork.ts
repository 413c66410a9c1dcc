import { UserError } from "../../errors.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import { noticeRecord } from "../../format/writer/new-records.js";
import type { Node } from "../../session/graph/node.js";
import type { Outline } from "../../session/open-session.js";
import { settlePlan } from "../edit.js";
import { dropOrphanResults, remainingNodes } from "./chain-nodes.js";
import { derivedUuid, type EditOptions, type EditPlan, type ForeignNodes } from "./edit-plan.js";
import { cutOpenTurn, type EditSource } from "./edit-source.js";
import { lowerTokenCounts } from "./lower-counts.js";
import { isInConversation, type SourceRecord } from "./source-record.js";

/** The whole session under a new id, dead branches and lines that cannot be read included. */
export function planClone(source: EditSource, options: EditOptions): EditPlan {
  const { removed, notes } = cutOpenTurn(source);
  const { brokenLines } = source.outline.facts;
  const broken = `${brokenLines} ${brokenLines === 1 ? "line that" : "lines that"} cannot be read: copied as they are`;
  return settlePlan(source, {
    command: "clone",
    options,
    removed,
    notes: brokenLines > 0 ? [...notes, broken] : notes,
  });
}

/** Where a fork begins or ends. Turns are 1-based; a record is named by its uuid. */
export type ForkPoint =
  | { readonly at: number | string } // everything up to the end of a turn, or up to a record
  | { readonly from: number } // a turn and what followed
  | { readonly branch: string }; // the branch that ends at a record

const NO_END = Number.POSITIVE_INFINITY;

/** One branch of a session, or a part of it. */
export function planFork(source: EditSource, point: ForkPoint, options: EditOptions): EditPlan {
  if (!("from" in point)) return planPart(source, point, options);
  return lowerTokenCounts(planPart(source, point, options, noteBefore));
}

/** The same with what its messages counted in the source; `open` may put nodes before the part. */
export function planPart(
  source: EditSource,
  point: ForkPoint,
  options: EditOptions,
  open: typeof noteBefore = () => new Map(),
): EditPlan {
  const end = cutOpenTurn(source);
  const { nodes, first, last, way = [] } = choosePart(source, point);
  const branch = dropOrphanResults(remainingNodes(source, nodes, end.removed));
  if (branch.length === 0) throw new UserError("not-found", "nothing would be left", "choose another turn");
  const kept = new Set(branch.map((node) => source.recordOf(node)));
  const uuids = new Set(branch.flatMap(({ uuid }) => uuid ?? []));
  const removed = new Map(end.removed);
  const tail = highestLine(branch);
  for (const record of source.records) {
    const isKept = record.uuid === undefined ? kept.has(record) : uuids.has(record.uuid);
    const reason = isKept ? undefined : reasonToRemove(record, { first, last, tail });
    if (reason !== undefined) removed.set(record, reason);
  }
  const foreignNodes = open(source, branch, options);
  return settlePlan(source, {
    command: "fork",
    options,
    removed,
    branch: [...foreignNodes.keys(), ...branch],
    foreignNodes,
    leaf: way.find((uuid) => uuids.has(uuid)) ?? branch.findLast(isTalk)?.uuid ?? null,
    isRelinked: true,
    notes: end.notes,
  });
}

/**
 * 2.0.50 gives all records from the first one with several blocks on new uuids when it resumes, and writes them again. Where that
 * is the first record of all, the copies begin a second tree; a record before it keeps them in one.
 */
function noteBefore(source: EditSource, branch: readonly Node[], { id }: EditOptions): ForeignNodes {
  const first = branch.find(isTalk);
  const record = first && source.recordOf(first);
  if (!first || !record || countBlocks(source, record) < 2) return new Map();
  const uuid = derivedUuid(id, "beginning");
  const node: Node = { line: first.line, offset: -1, length: 0, kind: "system", role: "notice", uuid };
  const text = `Forked by turnlog from session ${source.id}, without its earlier turns`;
  const place = { uuid, sessionId: id, time: (first.time ?? 1) - 1, cwd: source.outline.facts.lastCwd };
  return new Map([[node, { contextBytes: 0, row: (parentUuid) => noticeRecord(text, { ...place, parentUuid }) }]]);
}

function countBlocks({ path }: EditSource, place: SourceRecord): number {
  const [record] = readRecordsAt(path, [place]);
  return record?.kind === "user" || record?.kind === "assistant" ? record.blocks.length : 0;
}

/** The lines between which records outside of the conversation belong to the part. */
interface Part {
  readonly nodes: readonly Node[];
  readonly first: number;
  readonly last: number;
  /** From its end upwards, where it is not simply the last. */
  readonly way?: readonly string[];
}

function choosePart(source: EditSource, point: ForkPoint): Part {
  const { outline } = source;
  if ("branch" in point) return upTo(source, findUuid(outline, point.branch), NO_END);
  if ("from" in point) {
    const turns = outline.turns.slice(checkTurn(point.from, outline.turns.length) - 1);
    const nodes = turns.flatMap((turn) => turn.nodes);
    return { nodes, first: firstLineOf(nodes, outline), last: NO_END };
  }
  if (typeof point.at === "string") return upTo(source, findUuid(outline, point.at));
  const turns = outline.turns.slice(0, checkTurn(point.at, outline.turns.length));
  const isAll = turns.length === outline.turns.length;
  const last = turns.pop()?.nodes ?? [];
  const before = [...outline.preamble.nodes, ...turns.flatMap((turn) => turn.nodes)];
  const nodes = [...before, ...(isAll ? last : withoutLastCompaction(last))];
  return { nodes, first: 0, last: isAll ? NO_END : lastLineOf(nodes, outline.active) };
}

/** Claude Code takes the last record as the end: side records after the end, with other parents, would mislead it. */
function upTo(source: EditSource, leaf: string, last?: number): Part {
  const { active } = source.viewBranch(leaf);
  const way = wayTo(leaf, active);
  const isOnWay = new Set<string | null | undefined>(way);
  const end = highestLine(active.filter(({ uuid }) => uuid === leaf));
  const nodes = active.filter(
    (node) => isTalk(node) || isOnWay.has(node.uuid) || (node.line < end && isOnWay.has(node.parentUuid)),
  );
  return { nodes, first: 0, last: last ?? lastLineOf(nodes, source.outline.active), way };
}

function wayTo(leaf: string, nodes: readonly Node[]): string[] {
  const byUuid = new Map(nodes.map((node) => [node.uuid, node]));
  const way = new Set<string>();
  for (let at = byUuid.get(leaf); at?.uuid !== undefined && !way.has(at.uuid); ) {
    way.add(at.uuid);
    at = byUuid.get(at.logicalParentUuid ?? at.parentUuid ?? undefined);
  }
  return [...way];
}

function isTalk({ kind }: Node): boolean {
  return kind === "user" || kind === "assistant";
}

/** A compaction at the end of a turn that nothing answered yet belongs to what comes next. */
function withoutLastCompaction(nodes: readonly Node[]): readonly Node[] {
  const start = nodes.findIndex(({ role }, at) => at > 0 && (role === "boundary" || role === "compactSummary"));
  return start < 0 || nodes.slice(start).some(({ role }) => role === "answer") ? nodes : nodes.slice(0, start);
}

function firstLineOf(kept: readonly Node[], { active }: Outline): number {
  const start = kept[0]?.line ?? 0;
  return highestLine(active.filter(({ line }) => line < start)) + 1;
}

function lastLineOf(kept: readonly Node[], active: readonly Node[]): number {
  const own = new Set(kept);
  const end = highestLine(kept.filter(({ results }) => !results)); // a result may come late
  return active.reduce(
    (last, node) => (node.line > end && !own.has(node) ? Math.min(last, node.line - 1) : last),
    NO_END,
  );
}

function highestLine(nodes: readonly Node[]): number {
  return nodes.reduce((highest, { line }) => Math.max(highest, line), 0);
}

/** What is said once for the whole session stays, whenever it was said. */
const LASTING: ReadonlySet<string | undefined> = new Set([
  "custom-title",
  "ai-title",
  "agent-name",
  "mode",
  "permission-mode",
  "tag",
  "pr-link",
  "summary",
  "worktree-state",
  "relocated",
]);

function reasonToRemove(
  record: SourceRecord,
  { first, last, tail }: { readonly first: number; readonly last: number; readonly tail: number },
): string | undefined {
  const { line, type, kind } = record;
  if (kind === "broken") return "lines that cannot be read";
  const isInside = line >= first && line <= last;
  if (isInConversation(record)) {
    if (isInside && record.isSidechain) return undefined;
    return isInside ? "other branches" : line > last ? "later turns" : "earlier turns";
  }
  // The queue before the next prompt is that of the next turn.
  if (type === "queue-operation" && line > tail && Number.isFinite(last)) return "later turns";
  if (isInside || (line < first && LASTING.has(type))) return undefined;
  return line > last ? "later turns" : "earlier turns";
}

/** The number of an existing turn, out of `count`. */
export function checkTurn(number: number, count: number): number {
  if (Number.isInteger(number) && number >= 1 && number <= count) return number;
  const turns = count === 1 ? "only one turn" : `turns 1 to ${count}`;
  const hint = `the session has ${count === 0 ? "no turns" : turns}`;
  throw new UserError("not-found", `there is no turn ${number}`, hint);
}

/** The uuid of a record that is named by it or by its beginning. */
export function findUuid({ uuids, activeLeaf, deadBranches }: Outline, name: string): string {
  if (uuids.has(name)) return name;
  const matches = name.length < 4 ? [] : [...uuids.keys()].filter((uuid) => uuid.startsWith(name));
  if (matches[0] !== undefined && matches.length === 1) return matches[0];
  const ends = [activeLeaf, ...deadBranches.map(({ leaf }) => leaf)].filter((leaf) => leaf !== null);
  const hint = `its branches end at ${ends.join(", ")}`;
  if (matches.length > 1) throw new UserError("ambiguous", `several records begin with "${name}"`, hint);
  throw new UserError("not-found", `the session has no record "${name}"`, hint);
}
