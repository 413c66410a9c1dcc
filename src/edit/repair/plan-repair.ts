import { basename } from "node:path";
import { countLeading } from "../../collections.js";
import { readChunks } from "../../format/reader/record-reader.js";
import { interruptedResultRecord, lostBeginningRecord } from "../../format/writer/new-records.js";
import { repairRecord } from "../../format/writer/repair-record.js";
import type { Node } from "../../session/graph/node.js";
import { firstSentNode } from "../../session/replay/select-replay.js";
import { type VerifyReport, verifySession } from "../../session/verify/verify-session.js";
import { settlePlan, WRITTEN_AGAIN } from "../edit.js";
import { findCopies, remainingNodes } from "../plans/chain-nodes.js";
import {
  derivedUuid,
  type EditOptions,
  type EditPlan,
  type ForeignNode,
  type ForeignNodes,
  type FoundProblems,
} from "../plans/edit-plan.js";
import { cutOpenTurn, type EditSource } from "../plans/edit-source.js";
import type { RecordLinks } from "../plans/source-record.js";
import { editedLines } from "../write/edited-lines.js";
import { findRepairs, type Survey, surveySession } from "./find-repairs.js";

/**
 * A session that every version of Claude Code can resume: its branch is one chain, each line one record, each call has one result, and what the
 * API refuses is gone. Other branches stay, with parents that can be followed; where nothing is left of the branch, the session
 * continues at the last message of another one.
 */
export function planRepair(source: EditSource, options: EditOptions): EditPlan {
  const plan = repairBranch(source, options);
  const end = plan.leaf === null && !source.outline.resumesEmpty ? findEnd(plan) : undefined;
  return end === undefined ? plan : repairBranch({ ...source, outline: source.viewBranch(end) }, options);
}

function repairBranch(source: EditSource, options: EditOptions): EditPlan {
  const before = verifySession(readChunks(source.path, 0, source.sizeBytes), basename(source.path));
  const open = cutOpenTurn(source);
  const nameOf: NameOf = ({ line, offset }) => derivedUuid(options.id, `line ${line} at ${offset}`);
  const named = nameNodes(source, nameOf);
  const copies = findCopies(source, named);
  const survey = surveySession(source, copies);
  const gone = new Map([...open.removed, ...[...copies].map((copy) => [copy, WRITTEN_AGAIN] as const)]);
  const branch = remainingNodes(source, named, gone);
  const { removed, mendings } = findRepairs(source, branch, survey, nameOf, staleLine(before));
  for (const [record, reason] of gone) removed.set(record, reason);
  const staying = remainingNodes(source, branch, removed);
  const complete = completeBranch(source, staying, survey, options);
  const plan = settlePlan(source, {
    command: "repair",
    options,
    removed,
    replaced: new Map(
      [...mendings].map(([record, mending]) => [
        record,
        { reason: "records put right", replace: (raw) => repairRecord(raw, mending) },
      ]),
    ),
    ...complete,
    isRelinked: true,
    isTidy: true,
    leaf: complete.branch.findLast(isTalk)?.uuid ?? null,
    notes: open.notes,
  });
  const after = verifySession(editedLines(plan), `${options.id}.jsonl`);
  return { ...plan, problems: countProblems(before, after) };
}

function findEnd({ source: { records }, changes }: EditPlan): string | undefined {
  return records.findLast(
    (record) =>
      isTalk(record) && record.uuid !== undefined && !record.isSidechain && changes.get(record)?.kind !== "remove",
  )?.uuid;
}

function isTalk({ kind }: { readonly kind: Node["kind"] }): boolean {
  return kind === "user" || kind === "assistant";
}

type NameOf = (record: RecordLinks) => string;

/** Records without a uuid get one. */
function nameNodes(source: EditSource, nameOf: NameOf): Node[] {
  return extendPastLostParent(source, source.outline.active).map((node) =>
    node.uuid === undefined ? { ...node, uuid: nameOf(node) } : node,
  );
}

function staleLine({ problems }: VerifyReport): number | undefined {
  return problems.find(({ code }) => code === "stale-usage")?.line;
}

/** A branch whose first record names a parent that is lost, or leads in a circle, continues from what is before it in the file. */
function extendPastLostParent(source: EditSource, branch: readonly Node[]): readonly Node[] {
  const findBefore = lastTalkBefore(source);
  const parts = [branch];
  const taken = new Set(branch);
  for (let root = branch[0]; root; ) {
    const isLost = typeof root.parentUuid === "string" && source.outline.mendedParents.get(root.uuid ?? "") === null;
    const before = isLost ? findBefore(root) : undefined;
    if (before === undefined) break;
    const earlier = source.viewBranchEnd(before).active.filter((node) => !taken.has(node));
    const [first] = earlier;
    if (first === undefined || first.line >= root.line) break;
    for (const node of earlier) taken.add(node);
    parts.push(earlier);
    root = first;
  }
  return parts.reverse().flat();
}

function lastTalkBefore({ records }: EditSource): (node: Node) => string | undefined {
  const talk = records.filter((record) => isTalk(record) && !record.isSidechain);
  return ({ line }) => talk[countLeading(talk.length, (at) => (talk[at]?.line ?? 0) < line) - 1]?.uuid;
}

export interface CompletedBranch {
  readonly branch: readonly Node[];
  /** The nodes that replace something lost. */
  readonly foreignNodes: ForeignNodes;
}

/** A branch with something in the place of what the API misses: the prompt before a first answer, results of calls. */
function completeBranch(
  source: EditSource,
  branch: readonly Node[],
  survey: Survey,
  options: EditOptions,
): CompletedBranch {
  const foreignNodes = new Map<Node, ForeignNode>();
  const first = firstSentNode(branch);
  const last = branch.findLast(({ message }) => message !== undefined)?.message;
  const latest = source.records.reduce((time, record) => Math.max(time, record.time ?? 0), 0);
  const { lastCwd: cwd } = source.outline.facts;
  const complete = branch.flatMap((node) => [
    ...(node === first && node.role === "answer" ? [addBeginning(node)] : []),
    node,
    ...(node.calls ?? []).flatMap(({ id }) => (isOpen(id, node) ? addResult(id, node) : [])),
  ]);
  return { branch: complete, foreignNodes };

  function isOpen(id: string, node: Node): boolean {
    const call = survey.calls.get(id);
    return call !== undefined && !survey.results.has(id) && call.record === source.recordOf(node);
  }

  function addBeginning({ line, time = latest }: Node): Node {
    const uuid = derivedUuid(options.id, "beginning");
    const node: Node = { line, offset: -1, length: 0, kind: "user", role: "injected", uuid };
    const place = { uuid, sessionId: options.id, time: time - 1, cwd };
    foreignNodes.set(node, { contextBytes: 0, row: (parentUuid) => lostBeginningRecord({ ...place, parentUuid }) });
    return node;
  }

  function addResult(id: string, { line, message, time = latest }: Node): Node {
    const uuid = derivedUuid(options.id, `result of ${id}`);
    const results = [{ id, status: "interrupted", isError: true }] as const;
    const node: Node = { line, offset: -1, length: 0, kind: "user", role: "toolResult", uuid, results };
    const place = { uuid, sessionId: options.id, time: (message === last ? latest : time) + 1, cwd };
    foreignNodes.set(node, {
      contextBytes: 0,
      row: (parentUuid) => interruptedResultRecord(id, { ...place, parentUuid }),
    });
    return node;
  }
}

/** By kind, what `verify` found before and what it finds after; problems of severity `info` are omitted. */
function countProblems(before: VerifyReport, after: VerifyReport): FoundProblems[] {
  const [found, left] = [countCodes(before), countCodes(after)];
  return [...new Set([...found.keys(), ...left.keys()])].map((code) => ({
    code,
    found: found.get(code) ?? 0,
    left: left.get(code) ?? 0,
  }));
}

function countCodes({ problems, unlisted }: VerifyReport): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (code: string, count: number) => counts.set(code, (counts.get(code) ?? 0) + count);
  for (const { code, severity } of problems) if (severity !== "info") add(code, 1);
  for (const { code, severity, count } of unlisted) if (severity !== "info") add(code, count);
  return counts;
}
