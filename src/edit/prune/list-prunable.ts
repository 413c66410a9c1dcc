import { holdsPersonsWords } from "../../session/messages/tool-status.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import type { BlockSketch } from "../plans/body-sketch.js";
import type { SourceRecord } from "../plans/source-record.js";
import type { CallUse, PruneView } from "./prune-decisions.js";

/** A call in the context, with its result. */
export interface PrunableUse {
  readonly call: CallUse;
  readonly turn: TurnOutline;
  /** Estimated tokens that go with the call, and with all but a stub of its result. */
  readonly tokens: number;
  readonly stubSaves: number;
  /** A person spoke through it, so it stays. */
  readonly isSpoken: boolean;
}

/** The calls that the model would read again, in their order. Calls before a compaction take nothing any more. */
export function listPrunable(view: PruneView): PrunableUse[] {
  const sums = new Map<string, { tokens: number; stubSaves: number }>();
  for (const { record, blocks } of view.sketches) {
    if (!view.isSent(record)) continue;
    for (const block of blocks) {
      if (block.id === undefined) continue;
      const sum = sums.get(block.id) ?? { tokens: 0, stubSaves: 0 };
      sums.set(block.id, sum);
      sum.tokens += savedBy(view, record, block.bytes);
      sum.stubSaves += savedBy(view, record, bytesOverStub(block));
    }
  }
  return [...view.calls.values()].flatMap((call) => {
    const sum = sums.get(call.id);
    if (!sum || !call.turn) return [];
    const { tokens, stubSaves } = sum;
    return [
      {
        call,
        turn: call.turn,
        tokens: Math.round(tokens),
        stubSaves: Math.max(0, Math.round(stubSaves)),
        isSpoken: holdsPersonsWords(call),
      },
    ];
  });
}

function bytesOverStub({ bytes, stub, isServerSide }: BlockSketch): number {
  return stub === undefined || isServerSide ? 0 : bytes - stub;
}

function savedBy({ tokensOf }: PruneView, record: SourceRecord, bytes: number): number {
  if (bytes === 0) return 0;
  return tokensOf(record, record.contextBytes) - tokensOf(record, Math.max(0, record.contextBytes - bytes));
}
