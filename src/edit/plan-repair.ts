import { basename } from "node:path";
import { mendRecord } from "../format/mend-record.js";
import { readChunks } from "../format/record-reader.js";
import type { Node } from "../session/node.js";
import { type VerifyReport, verifySession } from "../session/verify.js";
import { cutOpenTurn } from "./cut-open-turn.js";
import type { EditOptions, EditPlan } from "./edit-plan.js";
import type { EditSource } from "./edit-source.js";
import { editedLines } from "./edited-lines.js";
import { findCopies } from "./find-copies.js";
import { derivedUuid } from "./new-ids.js";
import { bridgeRoot } from "./repair/bridge-root.js";
import { completeBranch } from "./repair/complete-branch.js";
import { countProblems } from "./repair/count-problems.js";
import { judgeSession } from "./repair/judge-session.js";
import { surveySession } from "./repair/survey-session.js";
import { settlePlan, WRITTEN_AGAIN } from "./settle-plan.js";
import { stayingNodes } from "./staying-nodes.js";

/**
 * A session that every client can resume: its branch is one chain, each line one record, each call has one result, and what the
 * API refuses is gone. Other branches stay, with parents that can be followed; where nothing is left of the branch, clients go on
 * with what was said last on another one.
 */
export function planRepair(source: EditSource, options: EditOptions): EditPlan {
  const plan = repairBranch(source, options);
  const end = plan.leaf === null ? findEnd(plan) : undefined;
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
  const branch = stayingNodes(source, named, gone);
  const { removed, mendings } = judgeSession(source, { survey, branch, nameOf, stale: staleLine(before) });
  for (const [record, reason] of gone) removed.set(record, reason);
  const staying = stayingNodes(source, branch, removed);
  const complete = completeBranch(source, staying, survey, options);
  const plan = settlePlan(source, {
    command: "repair",
    options,
    removed,
    replaced: new Map(
      [...mendings].map(([record, mending]) => [
        record,
        { reason: "records put right", replace: (raw) => mendRecord(raw, mending) },
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

type NameOf = (record: { readonly line: number; readonly offset: number }) => string;

/** Records without a uuid get one. */
function nameNodes(source: EditSource, nameOf: NameOf): Node[] {
  return bridgeRoot(source, source.outline.active).map((node) =>
    node.uuid === undefined ? { ...node, uuid: nameOf(node) } : node,
  );
}

function staleLine({ problems }: VerifyReport): number | undefined {
  return problems.find(({ code }) => code === "stale-usage")?.line;
}
