import type { ApiBlock } from "../../format/record/api-message.js";
import type { ChatHost } from "../chat-host.js";
import type { Spending } from "../model/spending.js";
import type { Tool } from "../tools/tool.js";
import type { AgentReport, AgentRequest } from "../tools/tool-context.js";
import type { Workspace } from "../workspace.js";
import type { AgentSource, ConversationEvent } from "./chat-event.js";
import type { Call } from "./loop.js";
import type { ConversationLog } from "./session-log/conversation-log.js";

/** One thread of talk with the model: the main one (`Chat`), or that of a sub-agent (`SubAgent`). */
export interface Conversation {
  readonly host: ChatHost;
  readonly launcher: AgentLauncher;
  readonly log: ConversationLog;
  readonly workspace: Workspace;
  readonly tools: readonly Tool[];
  readonly modelName: string;
  readonly spending: Spending;
  /** 0 for the main conversation. */
  readonly depth: number;
  /** Null for the main conversation. */
  readonly agent: AgentSource | null;
  /** Announces what happens in it. */
  emit(event: ConversationEvent): void;
  system(): readonly string[];
  /** The record of the main session that a change by a call belongs to. */
  recordOfChange(callUuid: string): string;
  /** Messages queued meanwhile. */
  takeFollowUps(): readonly ApiBlock[];
  mayRepeat(call: Call): Promise<boolean>;
}

type UsageEvent = Extract<ConversationEvent, { kind: "usage" }>;

/** Counts and announces the tokens of a request. */
export function spend({ spending, emit, modelName }: Conversation, usage: Omit<UsageEvent, "kind">): void {
  spending.add(usage.model, usage.usage, usage.durationMs, modelName);
  emit({ kind: "usage", ...usage });
}

/** A call that starts a sub-agent. */
export interface Launch {
  readonly request: AgentRequest;
  readonly call: Call;
  readonly from: Conversation;
  readonly promptId: string;
  readonly signal: AbortSignal;
}

export interface AgentLauncher {
  launch(launch: Launch): Promise<AgentReport>;
  /** Sub-agents that run in the background. */
  readonly background: readonly unknown[];
  /** Resolves when none runs in the background. */
  settle(): Promise<void>;
}
