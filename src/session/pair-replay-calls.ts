import { toCallId } from "../format/api-tool-block.js";
import type { ContentBlock, ToolCallBlock, ToolResultBlock } from "../format/content-block.js";
import { shownResult } from "./call-sketch.js";
import type { ReplayPiece } from "./replay-pieces.js";
import type { ReplayLog } from "./replay-report.js";

/** A call that will be sent: under which id, and with which result, if one was recorded. */
export interface ReplayCall {
  readonly id: string;
  readonly result: { readonly block: ToolResultBlock; readonly line: number } | undefined;
}

interface FoundCall {
  readonly block: ToolCallBlock;
  readonly line: number;
  readonly at: number; // index of its piece
  readonly isAborted: boolean;
  readonly isRepeated: boolean; // an earlier message has a call with the same id
  readonly results: FoundResult[];
}

interface FoundResult {
  readonly block: ToolResultBlock;
  readonly line: number;
  readonly isError: boolean;
}

/**
 * Gives every call its one result. A call that is in no entry must not be sent. Some back ends count their ids anew in
 * each message, so a result belongs to the nearest call before it.
 */
export function pairReplayCalls(pieces: readonly ReplayPiece[], log: ReplayLog): Map<ContentBlock, ReplayCall> {
  const found = findCalls(pieces);
  assignResults(pieces, found, log);
  const taken = new Set<string>();
  const calls = new Map<ContentBlock, ReplayCall>();
  for (const call of [...found.values()].flat().sort((a, b) => a.at - b.at)) {
    if (!isWorthSending(call, log)) continue;
    const result = shownResult(call.results);
    for (const extra of call.results) if (extra !== result) log.add("extra-result", extra.line);
    if (!result) log.add("orphan-call", call.line);
    calls.set(call.block, { id: chooseId(call, taken, log), result });
  }
  return calls;
}

function findCalls(pieces: readonly ReplayPiece[]): Map<string, FoundCall[]> {
  const found = new Map<string, FoundCall[]>();
  pieces.forEach((piece, at) => {
    if (piece.kind !== "answer") return;
    for (const { block, line } of piece.blocks) {
      if (block.kind !== "toolCall" || block.isServerSide) continue;
      const known = found.get(block.id);
      const call = { block, line, at, isAborted: piece.isAborted, isRepeated: known !== undefined, results: [] };
      if (known) known.push(call);
      else found.set(block.id, [call]);
    }
  });
  return found;
}

function assignResults(
  pieces: readonly ReplayPiece[],
  found: ReadonlyMap<string, readonly FoundCall[]>,
  log: ReplayLog,
): void {
  pieces.forEach((piece, at) => {
    if (piece.kind !== "result") return;
    const { block, line } = piece;
    const calls = found.get(block.toolUseId) ?? [];
    const owner = calls.findLast((call) => call.at < at) ?? calls[0];
    if (owner) owner.results.push({ block, line, isError: block.isError });
    else log.add("orphan-result", line);
  });
}

function isWorthSending({ results, isAborted, isRepeated, line }: FoundCall, log: ReplayLog): boolean {
  if (results.length > 0 || !(isAborted || isRepeated)) return true;
  log.add(isAborted ? "aborted-call" : "repeated-call", line);
  return false;
}

function chooseId({ block, line }: FoundCall, taken: Set<string>, log: ReplayLog): string {
  const wanted = toCallId(block.id);
  let id = wanted;
  for (let count = 2; taken.has(id); count++) id = `${wanted}_${count}`;
  taken.add(id);
  if (id !== block.id) log.add("renamed-call", line);
  return id;
}
