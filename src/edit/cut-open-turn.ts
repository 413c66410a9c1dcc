import { UserError } from "../errors.js";
import type { EditSource, SourceRecord } from "./edit-source.js";

/** What a session that is still being written has not finished: its open turn, what stands after it, and half a line. */
export interface OpenEnd {
  readonly removed: ReadonlyMap<SourceRecord, string>;
  readonly notes: readonly string[];
}

const REASON = "a turn that is still open";

export function cutOpenTurn({ openTurn, outline, records, recordOf }: EditSource): OpenEnd {
  if (!openTurn) return { removed: new Map(), notes: [] };
  if (openTurn.index === 1) {
    throw new UserError("busy", "the session is still in its first turn", "wait until the client has answered");
  }
  const removed = new Map<SourceRecord, string>();
  for (const node of openTurn.nodes) {
    const record = recordOf(node);
    if (record) removed.set(record, REASON);
  }
  const cut = openTurn.start.line;
  for (const record of records) {
    if (record.line >= cut && !isOnBranch(record)) removed.set(record, REASON);
  }
  const count = outline.turns.length - 1;
  return { removed, notes: [`the session is being written: turn ${count + 1} is not complete and left out`] };

  /** What stands after the cut and belongs to earlier turns stays: late results. */
  function isOnBranch({ uuid }: SourceRecord): boolean {
    return uuid !== undefined && outline.uuids.has(uuid);
  }
}
