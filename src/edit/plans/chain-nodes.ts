import { createHash } from "node:crypto";
import { listAt } from "../../collections.js";
import { toJsonText } from "../../format/json.js";
import type { AssistantRecord, UserRecord } from "../../format/record/record.js";
import { withoutPreserved, withTime } from "../../format/writer/change-record.js";
import type { Node } from "../../session/graph/node.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { EditPlan, RecordReplacement } from "./edit-plan.js";
import { type EditSource, readFullRecords } from "./edit-source.js";
import { isInConversation, type SourceRecord } from "./source-record.js";

/** Parents that make one line of a branch. */
export interface Chain {
  readonly order: readonly Node[];
  /** By uuid. */
  readonly parents: ReadonlyMap<string, string | null>;
  /** The record before each compaction boundary, by the uuid of the boundary: there the conversation continues. */
  readonly beforeBoundary: ReadonlyMap<string, string | null>;
}

/**
 * A branch as one chain that every version of Claude Code can follow: all records of a message, then the results of its calls, then what comes
 * next. Claude Code up to 2.1.45 loses results that share a parent; 2.0.50 loses what comes before progress.
 */
export function chainNodes(nodes: readonly Node[]): Chain {
  const parents = new Map<string, string | null>();
  const beforeBoundary = new Map<string, string | null>();
  const order = splitAtCompactions(nodes).flatMap(orderPart);
  let last: Node | undefined;
  for (const node of order) {
    const { uuid } = node;
    if (uuid === undefined) continue;
    const above = last?.uuid ?? null;
    if (node.role === "boundary") beforeBoundary.set(uuid, above);
    parents.set(uuid, isNewRoot(node, last) ? null : above);
    if (canBeParent(node)) last = node;
  }
  return { order, parents, beforeBoundary };
}

/**
 * Whether all records of a message and the results of its calls are in one turn. Where they are not, one chain would move words
 * into other turns.
 */
export function keepsMessagesTogether(nodes: readonly Node[]): boolean {
  const turnOf = new Map<string, number>();
  let turn = 0;
  return nodes.every((node) => {
    const { role, message, calls = [], results = [] } = node;
    if (role === "prompt" || role === "command" || role === "bash" || role === "notification") turn += 1;
    const parts = [
      ...(message === undefined ? [] : [message]),
      ...[...calls, ...results].map(({ id }) => `call ${id}`),
    ];
    return parts.every((part) => {
      const known = turnOf.get(part) ?? turn;
      turnOf.set(part, known);
      return known === turn;
    });
  });
}

function splitAtCompactions(nodes: readonly Node[]): Node[][] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (isCompaction(node)) parts.push([]);
    parts.at(-1)?.push(node);
  }
  return parts;
}

function isCompaction({ role }: Node): boolean {
  return role === "boundary" || role === "compactSummary";
}

function orderPart(nodes: readonly Node[]): Node[] {
  const byMessage = groupBy(nodes, ({ kind, message }) => (kind === "assistant" && message ? [message] : []));
  const byCall = groupBy(nodes, ({ kind, results = [] }) => (kind === "user" ? results.map(({ id }) => id) : []));
  const called = onceOf(nodes.flatMap(callIds));
  const placed = new Set<Node>();
  for (const node of nodes) {
    const isResult = node.kind === "user" && node.results?.some(({ id }) => called.has(id));
    if (isResult || placed.has(node)) continue; // it follows its call, or is placed with its message
    const parts = (node.kind === "assistant" && byMessage.get(node.message ?? "")) || [node];
    const results = parts.flatMap(callIds).flatMap((id) => (called.has(id) ? (byCall.get(id) ?? []) : []));
    for (const next of [...parts, ...results]) placed.add(next);
  }
  return [...placed];
}

function groupBy(nodes: readonly Node[], keysOf: (node: Node) => readonly string[]): ReadonlyMap<string, Node[]> {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    for (const key of keysOf(node)) {
      const group = groups.get(key);
      if (group) group.push(node);
      else groups.set(key, [node]);
    }
  }
  return groups;
}

/** Some back ends number their calls anew in each message: such ids do not say which call a result belongs to. */
function onceOf(ids: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const again = new Set(ids.filter((id) => seen.size === seen.add(id).size));
  return new Set(ids.filter((id) => !again.has(id)));
}

function callIds({ calls }: Node): string[] {
  return calls?.map(({ id }) => id) ?? [];
}

/** Claude Code reads from the last compaction on, which has no parent. */
function isNewRoot({ role, parentUuid }: Node, before: Node | undefined): boolean {
  return role === "boundary" || (role === "compactSummary" && parentUuid === null && before?.role !== "boundary");
}

function canBeParent({ kind }: Node): boolean {
  return kind !== "progress" && kind !== "other";
}

/**
 * Records that are on a branch a second time: 2.1.29 writes its history again when it resumes, block by block under new uuids,
 * and may hang it on the history itself. The API takes no call twice.
 */
export function findCopies(source: EditSource, branch: readonly Node[]): ReadonlySet<SourceRecord> {
  const copies = new Set<SourceRecord>();
  if (keepsMessagesTogether(branch)) return copies;
  const records = branch.flatMap((node) => source.recordOf(node) ?? []);
  const contents = readContents(source, new Set(records));
  const seen = new Set<string>();
  for (const record of records) {
    const blocks = contents.get(record) ?? [];
    if (blocks.length > 0 && blocks.every((content) => seen.has(content))) copies.add(record);
    for (const content of blocks) seen.add(content);
  }
  return copies;
}

/** Whether the active branch can be made one chain: apart from copies, no message is spread over several turns. */
export function canBeOneChain(source: EditSource): boolean {
  const { active } = source.outline;
  if (keepsMessagesTogether(active)) return true;
  const copies = findCopies(source, active);
  return keepsMessagesTogether(active.filter((node) => !isCopy(copies, source.recordOf(node))));
}

function isCopy(copies: ReadonlySet<SourceRecord>, record: SourceRecord | undefined): boolean {
  return record !== undefined && copies.has(record);
}

function readContents(source: EditSource, wanted: ReadonlySet<SourceRecord>): ReadonlyMap<SourceRecord, string[]> {
  const contents = new Map<SourceRecord, string[]>();
  for (const [record, known] of readFullRecords(source)) {
    if (!wanted.has(known) || (record.kind !== "user" && record.kind !== "assistant") || record.isAbridged) continue;
    contents.set(known, contentsOf(record));
  }
  return contents;
}

/** Its blocks, each with what a copy of it has in common. */
function contentsOf(record: UserRecord | AssistantRecord): string[] {
  const { kind, timestamp = "", blocks } = record;
  const message = record.kind === "assistant" ? record.messageId : "";
  return blocks.map(({ raw }) =>
    createHash("sha1")
      .update(toJsonText([kind, timestamp, message, raw]) ?? "")
      .digest("base64"),
  );
}

/** Nodes of records that are not removed. */
export function remainingNodes(
  { recordOf }: EditSource,
  nodes: readonly Node[],
  removed: ReadonlyMap<SourceRecord, string>,
): Node[] {
  return nodes.filter((node) => {
    const record = recordOf(node);
    return record !== undefined && !removed.has(record);
  });
}

/** The API refuses a result whose call is on another branch, or in a part that does not come along. */
export function dropOrphanResults(nodes: readonly Node[], calling: readonly Node[] = nodes): Node[] {
  const called = new Set(calling.flatMap(({ calls }) => calls?.map(({ id }) => id) ?? []));
  return nodes.filter(
    ({ kind, results }) => kind !== "user" || !results?.length || results.some(({ id }) => called.has(id)),
  );
}

export interface RelinkedBranch extends Pick<EditPlan, "parents" | "moved"> {
  readonly order: readonly Node[];
  /** What has to change in a record so that it fits. */
  readonly mends: ReadonlyMap<SourceRecord, RecordReplacement>;
}

/** Makes one chain of a branch, so that every version of Claude Code finds its end; other branches keep their parents. */
export function relinkBranch(
  source: EditSource,
  nodes: readonly Node[],
  isKept: (record: SourceRecord) => boolean,
): RelinkedBranch {
  const { branch, preserved } = movePreserved(source, nodes);
  const { order, parents, beforeBoundary } = chainNodes(branch);
  const mends = new Map<SourceRecord, RecordReplacement>();
  const preserving = new Set(source.outline.compactions.flatMap((it) => (it.preserved === null ? [] : it.line)));
  for (const node of order) {
    const before = node.uuid === undefined ? undefined : beforeBoundary.get(node.uuid);
    const record = source.recordOf(node);
    if (before !== undefined && record && (preserving.has(node.line) || !continuesAt(node, before))) {
      mends.set(record, { reason: "boundaries of compactions", replace: withoutPreserved(before) });
    }
  }
  const late = laterEnd(source, order, isKept);
  if (late && !mends.has(late.record)) mends.set(late.record, { reason: END_TIME, replace: withTime(late.time) });
  return { order, parents, mends, moved: moveIntoOrder(source, order, preserved) };
}

const END_TIME = "times that hid the end from older versions";

function continuesAt({ logicalParentUuid }: Node, before: string | null): boolean {
  return logicalParentUuid === undefined || logicalParentUuid === before;
}

/**
 * Claude Code up to 2.1.45 takes the record with the latest time as the end, the first one if several have it; notes on a turn, which
 * follow its answer, count too (2.1.45). What hangs on the end itself leads there.
 */
function laterEnd(
  { records, recordOf }: EditSource,
  order: readonly Node[],
  isKept: (record: SourceRecord) => boolean,
): { readonly record: SourceRecord; readonly time: number } | undefined {
  const end = order.findLastIndex(isTalk);
  const last = order[end];
  const record = last && recordOf(last);
  if (record?.time === undefined) return undefined;
  const following = new Set(order.slice(end + 1).map(recordOf));
  let latest = Number.NEGATIVE_INFINITY;
  for (const other of records) {
    const isOther = isInConversation(other) && !other.isSidechain && other.uuid !== record.uuid;
    if (isOther && isKept(other) && !following.has(other)) latest = Math.max(latest, other.time ?? latest);
  }
  return record.time > latest ? undefined : { record, time: latest + 1 };
}

function isTalk({ kind }: { readonly kind: Node["kind"] }): boolean {
  return kind === "user" || kind === "assistant";
}

/** A record whose place in the file contradicts the chain is written after the record before it in the chain. */
function moveIntoOrder(source: EditSource, order: readonly Node[], preserved: readonly Node[]): EditPlan["moved"] {
  const kept = new Set(preserved.map((node) => source.recordOf(node)));
  const records = order.flatMap((node) => source.recordOf(node) ?? []);
  const late = listLate(records.filter((record) => !kept.has(record)));
  const moved = new Map<SourceRecord, SourceRecord[]>();
  let anchor: SourceRecord | undefined;
  for (const record of records) {
    if (!late.has(record) && !kept.has(record)) anchor = record;
    else if (anchor) listAt(moved, anchor).push(record);
  }
  return moved;
}

/** Records that come after one that follows them in the chain. The first record stays; then those before it are out of place. */
function listLate(records: readonly SourceRecord[]): ReadonlySet<SourceRecord> {
  const [first] = records;
  const late = new Set<SourceRecord>();
  let next = Number.POSITIVE_INFINITY;
  for (const record of records.toReversed()) {
    if (record.offset > next) late.add(record);
    else next = record.offset;
  }
  if (!first || !late.has(first)) return late;
  let last = first.offset;
  return new Set(
    records.filter(({ offset }) => {
      const isEarly = offset < last;
      last = Math.max(last, offset);
      return isEarly;
    }),
  );
}

export interface PreservedMoves {
  /** The branch with what was preserved behind the record that it follows in the context. */
  readonly branch: readonly Node[];
  readonly preserved: readonly Node[];
}

/**
 * A compaction may name records before it that stay in the context. Older versions of Claude Code ignore that, and one that
 * misses a named record loses all of them: so the records themselves are written behind the summary, or between boundary and
 * summary where they come first.
 */
function movePreserved({ outline }: EditSource, branch: readonly Node[]): PreservedMoves {
  const { kept: preserved, nodes } = selectReplay({ ...outline, active: branch });
  if (preserved.length === 0) return { branch, preserved };
  const isSent = new Set(nodes);
  return { branch: [...branch.filter((node) => !isSent.has(node)), ...nodes], preserved };
}
