import { UserError } from "../errors.js";
import { sessionPaths } from "../format/layout/session-paths.js";
import { priceOf } from "../session/messages/cost.js";
import { ChildRegister } from "../store/child-register.js";
import type { ChatOptions } from "./chat-options.js";
import { type PromptContext, SystemPrompts } from "./context/system-prompt.js";
import { BackgroundNews } from "./conversation/background-news.js";
import type { Listen } from "./conversation/chat-event.js";
import type { History } from "./conversation/session-log/history.js";
import type { SessionLog } from "./conversation/session-log/session-log.js";
import { Hooks } from "./hooks/run-hooks.js";
import type { Model } from "./model/model.js";
import { Spending } from "./model/spending.js";
import type { ChatSettings } from "./permissions/chat-settings.js";
import { PermissionDesk, toRefusal } from "./permissions/permission-desk.js";
import { parseRule, type Rule } from "./permissions/rule.js";
import { describeForeign } from "./project-file.js";
import type { Sandbox } from "./sandbox/sandbox.js";
import { type AgentType, readAgentTypes } from "./sub-agents/agent-types.js";
import { Shells } from "./tools/shell/shells.js";
import type { Tool } from "./tools/tool.js";
import type { PlanAnswer } from "./tools/tool-context.js";
import { allTools } from "./tools/toolbox.js";
import type { TrustedSettings } from "./trusted-settings.js";
import type { Workspace } from "./workspace.js";

/** Owns what the main conversation and its sub-agents share: the session, permissions, hooks, tools, running commands and cost. */
export class ChatHost {
  readonly news = new BackgroundNews();
  readonly spending: Spending;
  readonly desk: PermissionDesk;
  readonly hooks: Hooks;
  readonly agentTypes: readonly AgentType[];
  readonly tools: readonly Tool[];
  readonly prompts: SystemPrompts;
  readonly shells: Shells;
  modelName: string;
  readonly #closing = new AbortController();

  constructor(
    readonly options: ChatOptions,
    readonly workspace: Workspace,
    readonly log: SessionLog,
    settings: TrustedSettings,
    readonly promptContext: PromptContext,
    readonly sandbox: Sandbox | undefined,
  ) {
    const { configRoot, cwd, listen } = options;
    this.modelName = options.modelName;
    this.spending = new Spending(options.prices);
    this.desk = openDesk(options, workspace, settings.values, sandbox !== undefined);
    this.#allowKeptOutput();
    this.shells = new Shells((shell) => this.news.shellEnded(shell), new ChildRegister(options.dataDir));
    this.hooks = new Hooks(settings.hooks, { workspace, desk: this.desk, log, listen, shells: this.shells });
    this.agentTypes = readAgentTypes(configRoot, cwd, (path) =>
      listen({ kind: "notice", text: describeForeign(path) }),
    );
    this.tools = allTools(this.agentTypes);
    this.prompts = new SystemPrompts(options, workspace, promptContext);
  }

  /** Of a resumed session: its state when it was opened. */
  get resumed(): Pick<History, "turns" | "lastPrompt"> | undefined {
    return this.log.history;
  }

  get model(): Model {
    return this.options.model;
  }

  get listen(): Listen {
    return this.options.listen;
  }

  /** Aborts when the chat closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The limit that the chat has reached, sub-agents and requests beside the conversation included. */
  get limitReached(): "max-cost" | "max-tokens" | undefined {
    const { maxCost, maxTokensTotal } = this.options;
    if (maxCost !== undefined && this.spending.limitCost >= maxCost) return "max-cost";
    return maxTokensTotal !== undefined && this.spending.tokens >= maxTokensTotal ? "max-tokens" : undefined;
  }

  /** Must be called before a model is used: a cost limit cannot be kept for one without a price. */
  requirePrice(model: string): void {
    requirePrice(this.options, model);
  }

  /** Must be called before a turn: if another program wrote to the session, the chat continues in a copy. */
  async leaveDisturbedFile(): Promise<void> {
    if (await this.log.leaveDisturbedFile()) this.#allowKeptOutput();
  }

  async leavePlanMode(plan: string): Promise<PlanAnswer> {
    const { person } = this.options;
    if (this.desk.mode !== "plan") return "not-planning";
    if (!person) return "none";
    const answer = await person.approvePlan(plan);
    const refusal = toRefusal(answer);
    if (refusal) return refusal;
    this.desk.mode = answer === "always" ? "acceptEdits" : "default";
    return "approved";
  }

  /** Ends what runs, then the session. False: some records could not be written. */
  async close(settleAgents: () => Promise<void>): Promise<boolean> {
    if (this.closing.aborted) return true;
    this.#closing.abort();
    this.shells.close();
    await settleAgents();
    await this.hooks.end();
    this.sandbox?.close();
    return this.log.close();
  }

  /** The model may read the files with output that was too long for the conversation. */
  #allowKeptOutput(): void {
    this.desk.allow(`Read(/${sessionPaths(this.log.path).toolResultsDir}/**)`);
  }
}

export function requirePrice({ maxCost, maxTokensTotal, prices }: ChatOptions, model: string): void {
  if (maxCost === undefined || maxTokensTotal !== undefined || priceOf(model, undefined, prices)) return;
  const hint = "add --max-tokens-total, or the price to a file (`pricesFile` in the settings)";
  throw new UserError("usage", `no price for ${model}: --max-cost cannot be enforced`, hint);
}

/** Combines the rules of the settings files and the command line. */
function openDesk(
  options: ChatOptions,
  workspace: Workspace,
  settings: ChatSettings,
  isSandboxed: boolean,
): PermissionDesk {
  const { cwd, allow = [], deny = [], mode, listen, person } = options;
  for (const text of settings.problems) listen({ kind: "notice", text });
  const rules = {
    allow: [...settings.allow, ...allow.map((rule) => toRule(rule, cwd))],
    ask: settings.ask,
    deny: [...settings.deny, ...deny.map((rule) => toRule(rule, cwd))],
  };
  return new PermissionDesk(rules, mode ?? settings.defaultMode ?? "default", workspace, person, isSandboxed);
}

function toRule(text: string, base: string): Rule {
  const rule = parseRule(text, base);
  if (rule) return rule;
  throw new UserError("usage", `not a permission rule: ${text}`, "for example Read, Edit(src/**) or Bash(npm test:*)");
}
