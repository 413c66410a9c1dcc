import type { LogRecord } from "../../format/record/record.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { Compaction } from "../../session/turns/compactions.js";
import type { ChatMessage } from "./conversation.js";

/** One turn with the records that it was built from. */
export interface TurnSource {
  readonly turn: Turn;
  /** Its ordinal in the file, dead branches included. */
  readonly number: number;
  readonly start: LogRecord | undefined;
  readonly records: readonly LogRecord[];
  readonly compactions: readonly Compaction[];
  /** The conversation before it; null where it was not asked for. */
  readonly earlier: readonly ChatMessage[] | null;
}
