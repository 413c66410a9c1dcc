import type { RetryNotice } from "../model/model.js";
import type { ToolOutcome } from "../tools/tool.js";
import type { Call } from "./loop.js";
import type { RecordedLine } from "./session-log/recorder.js";

/** What happens while a turn runs, for the screen and for library users. */
export type ChatEvent =
  | { readonly kind: "line"; readonly line: RecordedLine; readonly parentCallId: string | null }
  | { readonly kind: "delta"; readonly of: "text" | "thinking"; readonly text: string }
  | { readonly kind: "call"; readonly call: Call; readonly agentType: string | undefined }
  | {
      readonly kind: "result";
      readonly call: Call;
      readonly outcome: ToolOutcome;
      readonly agentType: string | undefined;
    }
  | { readonly kind: "retry"; readonly notice: RetryNotice }
  | { readonly kind: "compacted"; readonly preTokens: number; readonly postTokens: number }
  | { readonly kind: "notice"; readonly text: string };

export type Listen = (event: ChatEvent) => void;
