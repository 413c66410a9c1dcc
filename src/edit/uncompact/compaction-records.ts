import { isSentAgain } from "../../format/record/attachment-content.js";
import type { Node } from "../../session/graph/node.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import { findCompactionStarts } from "../../session/turns/compactions.js";
import type { EditSource } from "../plans/edit-source.js";

/** A compaction of the active branch with all records that it left in the conversation. */
export interface UndoneCompaction {
  /** Among those of the branch, 1-based. */
  readonly number: number;
  readonly of: number;
  /** Of its first record. */
  readonly line: number;
  /** The place of that record on the branch. */
  readonly at: number;
  /** The record that it names as the one before it. */
  readonly before: string | undefined;
  /** Whether the session still has messages from before it that it did not preserve. */
  readonly canBeUndone: boolean;
  /** Boundary, summary, the command that asked for it, and what Claude Code put behind them. */
  readonly nodes: readonly Node[];
}

export function listCompactions({ outline, recordOf }: EditSource): UndoneCompaction[] {
  const { active } = outline;
  const starts = findCompactionStarts(active);
  return starts.flatMap(({ at }, index) => {
    const start = active[at];
    if (!start) return [];
    const end = starts[index + 1]?.at;
    const kept = new Set(selectReplay({ ...outline, active: active.slice(0, end) }).kept);
    return [
      {
        number: index + 1,
        of: starts.length,
        line: start.line,
        at,
        before: start.logicalParentUuid,
        canBeUndone: active.slice(0, at).some((node) => isTalk(node) && !kept.has(node)),
        nodes: ownNodes(active.slice(at, end), (node) => isToldAgain(recordOf(node)?.attachment)),
      },
    ];
  });
}

function isTalk({ kind }: Node): boolean {
  return kind === "user" || kind === "assistant";
}

/** `nodes` begins with the compaction and ends before the next one. What follows own records and was told again is own too. */
function ownNodes(nodes: readonly Node[], isReminder: (node: Node) => boolean): Node[] {
  const own = new Set(nodes.filter(({ role }) => role === "boundary" || role === "compactSummary"));
  for (const node of commandOf(nodes)) own.add(node);
  let isBehindOwn = false;
  for (const node of nodes) {
    if (isBehindOwn && isReminder(node)) own.add(node);
    isBehindOwn = own.has(node) || (isBehindOwn && !isTalk(node));
  }
  return [...own];
}

/** `/compact` with the caveat before it and its output; what the compaction preserved may stand between summary and command. */
function commandOf(nodes: readonly Node[]): Node[] {
  const at = nodes.findIndex(isCompactCommand);
  const [caveat, command, output] = [nodes[at - 1], nodes[at], nodes[at + 1]];
  if (!command) return [];
  return [
    ...(caveat?.role === "injected" ? [caveat] : []),
    command,
    ...(output?.role === "commandOutput" || output?.role === "localOutput" ? [output] : []),
  ];
}

function isCompactCommand({ role, text = "" }: Node): boolean {
  return (role === "command" || role === "localCommand") && /^\/compact\b/.test(text);
}

/** Behind a summary Claude Code tells again what it left out: files that were read, skills, surroundings. */
function isToldAgain(attachment: string | undefined): boolean {
  return isSentAgain(attachment) || RESTORED.has(attachment);
}

const RESTORED: ReadonlySet<string | undefined> = new Set([
  "file",
  "compact_file_reference",
  "plan_file_reference",
  "pdf_reference",
  "already_read_file",
  "invoked_skills",
  "nested_memory",
  "task_status",
  "todo_reminder",
  "task_reminder",
]);
