import type { JsonObject } from "../../format/json.js";
import type { AnswerEvent } from "../model/model.js";
import type { ToolOutcome } from "../tools/tool.js";
import type { Call } from "./loop.js";
import type { RecordedLine } from "./session-log/recorder.js";

/** A sub-agent. */
export interface AgentSource {
  readonly agentId: string;
  readonly type: string;
  /** The call that started it. */
  readonly callId: string;
}

/** What happens in a conversation. The answer's own events come from the model as they are. */
export type ConversationEvent =
  | AnswerEvent
  /** Allowed, and about to run. */
  | { readonly kind: "call-started"; readonly call: Call }
  | { readonly kind: "call-progress"; readonly call: Call; readonly data: JsonObject }
  /** Once per call, also if it never started. Its record is here and in no `recorded` event. */
  | {
      readonly kind: "call-ended";
      readonly call: Call;
      readonly outcome: ToolOutcome;
      /** Undefined: it was not run. */
      readonly durationMs: number | undefined;
      readonly line: RecordedLine;
    }
  /** A record of the conversation is in the file. */
  | { readonly kind: "recorded"; readonly line: RecordedLine }
  /** Tokens of one request. */
  | {
      readonly kind: "usage";
      readonly model: string;
      /** By the API's names. */
      readonly usage: JsonObject;
      readonly durationMs: number;
      /** False: no record has them, as of a summary, a title, or an answer without content. */
      readonly isRecorded: boolean;
    }
  | { readonly kind: "compacted"; readonly preTokens: number; readonly postTokens: number };

/** The one stream of a chat: for the screen, print mode, `stream-json` and library users. `agent`: null in the main conversation. */
export type ChatEvent =
  | (ConversationEvent & { readonly agent: AgentSource | null })
  | { readonly kind: "notice"; readonly text: string };

export type Listen = (event: ChatEvent) => void;
