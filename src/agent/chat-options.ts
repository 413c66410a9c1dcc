import type { PriceTable } from "../session/messages/cost.js";
import type { Listen } from "./conversation/chat-event.js";
import type { Layout } from "./conversation/session-log/file-history.js";
import type { Durability } from "./conversation/session-log/recorder.js";
import type { HookScope } from "./hooks/read-hooks.js";
import type { Model } from "./model/model.js";
import type { PermissionMode } from "./permissions/chat-settings.js";
import type { ApprovalAnswer, Approver } from "./permissions/permission-desk.js";
import type { Truster } from "./permissions/project-trust.js";
import type { SandboxWishes } from "./sandbox/plan-sandbox.js";
import type { Question } from "./tools/tool-context.js";

/** The user at the terminal. */
export interface Person extends Approver, Truster {
  /** Undefined: no answer. */
  answer(questions: readonly Question[]): Promise<Readonly<Record<string, string>> | undefined>;
  /** `always`: file changes need no further approval. */
  approvePlan(plan: string): Promise<ApprovalAnswer>;
}

export type SessionChoice =
  | { readonly kind: "new"; readonly id?: string | undefined }
  | { readonly kind: "resume"; readonly path: string; readonly at?: string | undefined; readonly isFork: boolean };

export interface ChatOptions {
  readonly cwd: string;
  readonly home: string;
  /** Claude Code's folder, in which sessions are recorded. */
  readonly configRoot: string;
  /** A folder for sessions and backups of files in place of Claude Code's; a resumed session is copied into it first. */
  readonly recordRoot?: string | undefined;
  /** The folder of new sessions; by default the one that Claude Code names after `cwd`. */
  readonly projectDir?: string | undefined;
  /** turnlog's data folder, for locks. */
  readonly dataDir: string;
  readonly ownVersion: string;
  readonly model: Model;
  readonly modelName: string;
  readonly session: SessionChoice;
  readonly listen: Listen;
  readonly effort?: string | undefined;
  readonly mode?: PermissionMode | undefined;
  /** Rules in addition to those of the settings files. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly additionalDirectories?: readonly string[];
  readonly appendSystemPrompt?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxCost?: number | undefined; // USD
  /** Input, output and cache, sub-agents included. */
  readonly maxTokensTotal?: number | undefined;
  readonly compactAt?: number | undefined; // tokens
  /** The settings of the project count without a question. */
  readonly trustsProject?: boolean;
  /** Whose hooks run; default: none. */
  readonly hooks?: HookScope;
  /** Ask the model for a title when a new session starts. */
  readonly isNamed?: boolean;
  readonly layout?: Layout;
  readonly durability?: Durability;
  readonly person?: Person | undefined;
  readonly allowsPrivateAddresses?: boolean;
  /** Run commands in a sandbox; `openChat` fails where there is none. */
  readonly sandbox?: SandboxWishes | undefined;
  readonly prices?: PriceTable | undefined;
}
