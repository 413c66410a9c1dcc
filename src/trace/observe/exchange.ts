import type { LogRecord } from "../../format/record/record.js";
import type { Message } from "../../session/messages/message.js";
import type { FollowUp } from "../../session/turns/build-turn.js";
import type { Compaction } from "../../session/turns/compactions.js";
import type { Notice } from "../../session/turns/notices.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";

/** What was said and done in one conversation: a turn, or a sub-agent. */
export interface Exchange {
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  /** In file order. */
  readonly records: readonly LogRecord[];
  readonly followUps: readonly FollowUp[];
  readonly notices: readonly Notice[];
  readonly compactions: readonly Pick<Compaction, "line" | "summary">[];
}
