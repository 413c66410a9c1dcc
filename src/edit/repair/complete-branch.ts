import { interruptedResult, lostBeginning } from "../../format/stand-in-records.js";
import { firstSent } from "../../session/first-sent.js";
import type { Node } from "../../session/node.js";
import type { EditOptions } from "../edit-plan.js";
import type { EditSource } from "../edit-source.js";
import { derivedUuid } from "../new-ids.js";
import type { Guest, Guests } from "../settle-plan.js";
import type { Survey } from "./survey-session.js";

export interface CompletedBranch {
  readonly branch: readonly Node[];
  /** The nodes of it that stand for something lost. */
  readonly guests: Guests;
}

/** A branch with something in the place of what the API misses: the prompt before a first answer, results of calls. */
export function completeBranch(
  source: EditSource,
  branch: readonly Node[],
  survey: Survey,
  options: EditOptions,
): CompletedBranch {
  const guests = new Map<Node, Guest>();
  const first = firstSent(branch);
  const last = branch.findLast(({ message }) => message !== undefined)?.message;
  const latest = source.records.reduce((time, record) => Math.max(time, record.time ?? 0), 0);
  const { lastCwd: cwd } = source.outline.facts;
  const complete = branch.flatMap((node) => [
    ...(node === first && node.role === "answer" ? [addBeginning(node)] : []),
    node,
    ...(node.calls ?? []).flatMap(({ id }) => (isOpen(id, node) ? addResult(id, node) : [])),
  ]);
  return { branch: complete, guests };

  function isOpen(id: string, node: Node): boolean {
    const call = survey.calls.get(id);
    return call !== undefined && !survey.results.has(id) && call.record === source.recordOf(node);
  }

  function addBeginning({ line, time = latest }: Node): Node {
    const uuid = derivedUuid(options.id, "beginning");
    const node: Node = { line, offset: -1, length: 0, kind: "user", role: "injected", uuid };
    const place = { uuid, sessionId: options.id, time: time - 1, cwd };
    guests.set(node, { contextBytes: 0, row: (parentUuid) => lostBeginning({ ...place, parentUuid }) });
    return node;
  }

  function addResult(id: string, { line, message, time = latest }: Node): Node {
    const uuid = derivedUuid(options.id, `result of ${id}`);
    const results = [{ id, status: "interrupted", isError: true }] as const;
    const node: Node = { line, offset: -1, length: 0, kind: "user", role: "toolResult", uuid, results };
    const place = { uuid, sessionId: options.id, time: (message === last ? latest : time) + 1, cwd };
    guests.set(node, { contextBytes: 0, row: (parentUuid) => interruptedResult(id, { ...place, parentUuid }) });
    return node;
  }
}
