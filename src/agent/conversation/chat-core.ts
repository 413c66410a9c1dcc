import type { Hooks } from "../hooks/run-hooks.js";
import type { Model } from "../model/model.js";
import type { Spending } from "../model/spending.js";
import type { PermissionDesk } from "../permissions/permission-desk.js";
import type { AgentType } from "../sub-agents/agent-types.js";
import type { Tool } from "../tools/tool.js";
import type { ToolContext } from "../tools/tool-context.js";
import type { Workspace } from "../workspace.js";
import type { Listen } from "./chat-event.js";
import type { Call } from "./loop.js";
import type { Recorder, RecorderOptions } from "./session-log/recorder.js";

/** Shared by the main conversation and its sub-agents. */
export interface ChatCore {
  readonly model: Model;
  readonly modelName: string;
  readonly effort: string | undefined;
  readonly compactAt: number | undefined;
  /** In USD, sub-agents included. */
  readonly maxCost: number | undefined;
  readonly tools: readonly Tool[];
  readonly agentTypes: readonly AgentType[];
  readonly workspace: Workspace;
  readonly desk: PermissionDesk;
  readonly hooks: Hooks;
  readonly spending: Spending;
  readonly listen: Listen;
  /** Of the main conversation. */
  readonly recorder: Recorder;
  readonly recorderBasics: Pick<RecorderOptions, "slug" | "ownVersion" | "durability">;
  /** Aborts when the chat closes. */
  readonly closing: AbortSignal;
  agentSystem(type: AgentType): readonly string[];
  contextMaker(options: ContextOptions): (call: Call, callUuid: string) => ToolContext;
}

export interface ContextOptions {
  readonly workspace: Workspace;
  readonly recorder: Recorder;
  /** 0 for the main conversation. */
  readonly depth: number;
  readonly promptId: string;
  readonly signal: AbortSignal;
  /** The record of the main session that a change belongs to, if the call itself is in a sub-agent's file. */
  readonly historyUuid: string | undefined;
}
