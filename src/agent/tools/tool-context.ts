import type { JsonObject } from "../../format/json.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Workspace } from "../workspace.js";
import type { Shells } from "./shell/shells.js";

/** What tools may use. */
export interface ToolContext {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  readonly shells: Shells;
  /** Commands run inside of it. */
  readonly sandbox: Sandbox | undefined;
  /** The permission desk sets it: the command is allowed only with git on a shadow of the repository. */
  git: "shadow" | undefined;
  /** The permission desk sets it: what was judged, to run in place of the command of the call. */
  judgedCommand?: string | undefined;
  /** Reports progress while the tool runs. */
  progress(data: JsonObject): void;
  /** Backs up a file; must be called before it is written. */
  beforeChange(path: string): void;
  /** Stores output that is too long for the conversation; returns its path. */
  keepOutput(text: string): string;
  notePullRequest(url: string): void;
  askModel(request: AsideRequest): Promise<string>;
  searchWeb(request: WebSearch): Promise<readonly JsonObject[]>;
  launchAgent(request: AgentRequest): Promise<AgentReport>;
  /** Undefined: no user can be asked. */
  askPerson(questions: readonly Question[]): Promise<Readonly<Record<string, string>> | undefined>;
  leavePlanMode(plan: string): Promise<PlanAnswer>;
  readonly allowsPrivateAddresses: boolean;
  /** A deny rule forbids reading it, so searches must not show it either. */
  isHidden(path: string): boolean;
}

/** What a person said with a no. Undefined: nothing, and the turn ends. */
export interface Refusal {
  readonly feedback: string | undefined;
}

/** `none`: no user can be asked; `not-planning`: plan mode is off. */
export type PlanAnswer = "approved" | Refusal | "none" | "not-planning";

export interface AsideRequest {
  readonly system: string;
  readonly prompt: string;
}

export interface WebSearch {
  readonly query: string;
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
}

export interface AgentRequest {
  readonly type: string;
  readonly description: string;
  readonly prompt: string;
  readonly model?: string | undefined;
  readonly inBackground: boolean;
}

export type AgentReport =
  | { readonly kind: "launched"; readonly agentId: string; readonly outputFile: string; readonly model: string }
  | {
      readonly kind: "done";
      readonly agentId: string;
      readonly type: string;
      readonly text: string;
      readonly model: string;
      readonly durationMs: number;
      readonly tokens: number;
      readonly toolUses: number;
      readonly toolsUsed: readonly string[];
      readonly usage: JsonObject;
      readonly wasInterrupted: boolean;
      /** The person said no to one of its calls. */
      readonly wasRefused: boolean;
      /** Why it ended early. */
      readonly problem: string | undefined;
    };

export interface Question {
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
  readonly multiSelect: boolean;
}
