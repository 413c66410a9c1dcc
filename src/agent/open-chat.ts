import { UserError } from "../errors.js";
import { sessionPaths } from "../format/layout/session-paths.js";
import { priceOf } from "../session/messages/cost.js";
import type { Lock } from "../store/lock.js";
import type { ChatOptions } from "./chat-options.js";
import { ContextWindow } from "./context/context-window.js";
import { SystemPrompts } from "./context/system-prompt.js";
import { BackgroundNews } from "./conversation/background-news.js";
import { Chat } from "./conversation/chat.js";
import type { ChatCore, ContextOptions } from "./conversation/chat-core.js";
import type { Listen } from "./conversation/chat-event.js";
import type { Call } from "./conversation/loop.js";
import { FileHistoryRecorder } from "./conversation/session-log/file-history-recorder.js";
import type { History } from "./conversation/session-log/history.js";
import { progressLine } from "./conversation/session-log/lines.js";
import { type OpenRecord, openFork, openRecord } from "./conversation/session-log/open-record.js";
import { ProgressBudget, type Recorder, type RecorderOptions } from "./conversation/session-log/recorder.js";
import { readGitSnapshot } from "./git/git-snapshot.js";
import { type Hook, readHooks } from "./hooks/read-hooks.js";
import { Hooks } from "./hooks/run-hooks.js";
import { type ContextParts, makeContext } from "./make-tool-context.js";
import type { Model } from "./model/model.js";
import { Spending } from "./model/spending.js";
import { type ChatSettings, combineSettings, readSettingsFiles } from "./permissions/chat-settings.js";
import { PermissionDesk } from "./permissions/permission-desk.js";
import { describeIgnored, isTrusted, readGrants } from "./permissions/project-trust.js";
import { parseRule, type Rule } from "./permissions/rule.js";
import { type AgentType, readAgentTypes } from "./sub-agents/agent-types.js";
import { SubAgents } from "./sub-agents/sub-agents.js";
import { Shells } from "./tools/shell/shells.js";
import type { Tool } from "./tools/tool.js";
import type { PlanAnswer, ToolContext } from "./tools/tool-context.js";
import { allTools } from "./tools/toolbox.js";
import { Workspace } from "./workspace.js";

/** Opens a new or existing session and everything a conversation needs. */
export async function openChat(options: ChatOptions): Promise<OpenedChat> {
  const { maxCost, modelName, prices } = options;
  if (maxCost !== undefined && !priceOf(modelName, undefined, prices)) throw unknownPrice(modelName);
  const settings = await readTrustedSettings(options);
  const workspace = openWorkspace(options, settings.values);
  const record = await openRecord(options, recorderHooks(options, workspace));
  const { recordsLeftOut = 0, brokenLines = 0 } = record.history ?? {};
  if (recordsLeftOut > 0) options.listen({ kind: "notice", text: describeOmission(recordsLeftOut) });
  if (brokenLines > 0) options.listen({ kind: "notice", text: describeBrokenLines(brokenLines) });
  return new OpenedChat(options, workspace, record, settings, await readGitSnapshot(options.cwd));
}

function unknownPrice(model: string): UserError {
  const hint = "omit --max-cost, or add the price to a file (`pricesFile` in the settings)";
  return new UserError("usage", `no price for ${model}: --max-cost cannot be enforced`, hint);
}

function describeOmission(records: number): string {
  return `the conversation is too long for a request: ${records} records from its middle are not sent to the model; the session keeps them`;
}

function describeBrokenLines(lines: number): string {
  const what =
    lines === 1
      ? "1 line of the session cannot be read; it is"
      : `${lines} lines of the session cannot be read; they are`;
  return `${what} kept but not sent to the model`;
}

type RecorderHooks = Pick<RecorderOptions, "cwd" | "onLine" | "onStalled">;

function recorderHooks({ listen }: ChatOptions, workspace: Workspace): RecorderHooks {
  return {
    cwd: () => workspace.cwd,
    onLine: (line) => listen({ kind: "line", line, parentCallId: null }),
    onStalled: ({ message }) =>
      listen({
        kind: "notice",
        text: `${message}; records are kept in memory, and nothing is changed until they can be written`,
      }),
  };
}

const MAX_DESCRIPTION = 200;

export class OpenedChat implements ChatCore {
  readonly chat: Chat;
  readonly news = new BackgroundNews();
  readonly spending: Spending;
  readonly desk: PermissionDesk;
  readonly hooks: Hooks;
  readonly agentTypes: readonly AgentType[];
  readonly tools: readonly Tool[];
  readonly subAgents: SubAgents;
  readonly shells: Shells;
  modelName: string;
  readonly #closing = new AbortController();
  readonly #budget = new ProgressBudget();
  readonly #prompts: SystemPrompts;
  readonly #contexts: ContextParts;
  readonly #locks: Lock[];
  #recorder: Recorder;
  #fileHistory: FileHistoryRecorder;

  constructor(
    private readonly options: ChatOptions,
    readonly workspace: Workspace,
    private readonly record: OpenRecord,
    settings: TrustedSettings,
    gitSnapshot: string | undefined,
  ) {
    const { configRoot, cwd, layout = "current" } = options;
    this.modelName = options.modelName;
    this.#recorder = record.recorder;
    this.#locks = [record.lock];
    this.#fileHistory = this.#openFileHistory();
    this.spending = new Spending(options.prices);
    this.desk = openDesk(options, workspace, settings.values);
    this.#allowKeptOutput();
    this.hooks = this.#openHooks(settings.hooks);
    this.agentTypes = readAgentTypes(configRoot, cwd);
    this.tools = allTools(this.agentTypes);
    this.#prompts = new SystemPrompts(options, workspace, gitSnapshot);
    this.shells = new Shells((shell) => this.news.shellEnded(shell));
    this.subAgents = new SubAgents(this, layout, (report, callId, description) =>
      this.news.agentEnded(report, callId, description),
    );
    this.#contexts = this.#toContextParts();
    this.chat = this.#createChat();
  }

  /** Of a resumed session: its state when it was opened. */
  get resumed(): Pick<History, "turns" | "lastPrompt"> | undefined {
    return this.record.history;
  }

  get model(): Model {
    return this.options.model;
  }

  get effort(): string | undefined {
    return this.options.effort;
  }

  get compactAt(): number | undefined {
    return this.options.compactAt;
  }

  get maxCost(): number | undefined {
    return this.options.maxCost;
  }

  get listen(): Listen {
    return this.options.listen;
  }

  get recorder(): Recorder {
    return this.#recorder;
  }

  get recorderBasics(): ChatCore["recorderBasics"] {
    const { ownVersion, durability } = this.options;
    return { slug: this.record.slug, ownVersion, ...(durability === undefined ? {} : { durability }) };
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether a background task may still start a turn. Records that it is waited for. */
  noteWaiting(): boolean {
    const shells = this.shells.running.map(({ callId, command }) => ({
      callId,
      description: command,
      type: "local_bash",
    }));
    const agents = this.subAgents.background.map((task) => ({ ...task, type: "local_agent" }));
    for (const { callId, description, type } of [...shells, ...agents]) {
      const data = { type: "waiting_for_task", taskDescription: description.slice(0, MAX_DESCRIPTION), taskType: type };
      if (this.#budget.takes(callId, data)) this.#recorder.addAside(progressLine(data, callId, callId));
    }
    return shells.length + agents.length > 0;
  }

  agentSystem(type: AgentType): readonly string[] {
    return this.#prompts.ofAgent(type, this.modelName);
  }

  contextMaker(options: ContextOptions): (call: Call, callUuid: string) => ToolContext {
    return (call, callUuid) => makeContext(this.#contexts, options, call, callUuid);
  }

  #createChat(): Chat {
    const { options, record } = this;
    return new Chat({
      core: this,
      options,
      contextWindow: new ContextWindow({
        model: this.model,
        modelName: () => this.modelName,
        recorder: () => this.#recorder,
        listen: options.listen,
        hooks: this.hooks,
        compactAt: options.compactAt,
        spending: this.spending,
      }),
      fileHistory: () => this.#fileHistory,
      system: () => this.#prompts.ofMain(this.modelName, this.desk.mode === "plan"),
      messages: record.history?.messages ?? [],
      turns: record.history?.turns ?? 0,
      leaveDisturbedFile: () => this.#leaveDisturbedFile(),
      onClose: () => this.#close(),
    });
  }

  #toContextParts(): ContextParts {
    const { person, allowsPrivateAddresses = false } = this.options;
    return {
      core: this,
      shells: this.shells,
      budget: this.#budget,
      history: () => this.#fileHistory,
      subAgents: () => this.subAgents,
      askPerson: async (questions) => person?.answer(questions),
      leavePlanMode: (plan) => this.#leavePlanMode(plan),
      allowsPrivateAddresses,
    };
  }

  async #leavePlanMode(plan: string): Promise<PlanAnswer> {
    const { person } = this.options;
    if (this.desk.mode !== "plan") return "not-planning";
    if (!person) return "none";
    const answer = await person.approvePlan(plan);
    if (answer === "no") return "refused";
    this.desk.mode = answer === "always" ? "acceptEdits" : "default";
    return "approved";
  }

  #openHooks(hooks: readonly Hook[]): Hooks {
    const { listen } = this.options;
    return new Hooks({
      hooks,
      workspace: this.workspace,
      recorder: () => this.#recorder,
      mode: () => this.desk.mode,
      listen,
      budget: this.#budget,
    });
  }

  #openFileHistory(): FileHistoryRecorder {
    const { configRoot, recordRoot = configRoot, cwd, layout = "current" } = this.options;
    return new FileHistoryRecorder(recordRoot, cwd, this.#recorder, layout);
  }

  /** The model may read the files with output that was too long for the conversation. */
  #allowKeptOutput(): void {
    this.desk.allow(`Read(/${sessionPaths(this.#recorder.path).toolResultsDir}/**)`);
  }

  /** Continues in a copy when another program wrote to the file: two writers would lose each other's records. */
  async #leaveDisturbedFile(): Promise<void> {
    if (!this.#recorder.isDisturbed || this.#recorder.leaf === null) return;
    const left = this.#recorder;
    const hooks = { ...recorderHooks(this.options, this.workspace), slug: this.record.slug };
    const { recorder, lock } = await openFork(left, this.options, hooks);
    await left.close();
    this.#recorder = recorder;
    this.#locks.push(lock);
    this.#fileHistory = this.#openFileHistory();
    this.#allowKeptOutput();
    const text = `another program wrote to session ${left.sessionId}; this conversation continues in ${recorder.sessionId}`;
    this.listen({ kind: "notice", text });
  }

  async #close(): Promise<boolean> {
    if (this.closing.aborted) return true;
    this.#closing.abort();
    this.shells.close();
    await this.subAgents.settle();
    await this.hooks.end();
    await this.#recorder.sync();
    const isWritten = await this.#recorder.close();
    for (const lock of this.#locks) lock.release();
    return isWritten;
  }
}

interface TrustedSettings {
  readonly values: ChatSettings;
  readonly hooks: readonly Hook[];
}

/** Settings files are read once: what counts is what was shown. */
async function readTrustedSettings(options: ChatOptions): Promise<TrustedSettings> {
  const { configRoot, cwd, hooks = "off", dataDir, person, trustsProject = false, listen } = options;
  const files = readSettingsFiles(configRoot, cwd);
  const grants = readGrants(files, cwd);
  const trusts = trustsProject || (grants !== undefined && (await isTrusted(grants, dataDir, person)));
  if (grants && !trusts) listen({ kind: "notice", text: describeIgnored(grants, person !== undefined) });
  return { values: combineSettings(files, trusts), hooks: readHooks(files, hooks, trusts) };
}

function openWorkspace(options: ChatOptions, settings: ChatSettings): Workspace {
  const workspace = new Workspace(options.cwd, options.additionalDirectories ?? [], options.home);
  for (const folder of settings.additionalDirectories) workspace.addRoot(workspace.resolve(folder));
  workspace.variables = settings.env;
  return workspace;
}

/** Combines the rules of the settings files and the command line. */
function openDesk(options: ChatOptions, workspace: Workspace, settings: ChatSettings): PermissionDesk {
  const { cwd, allow = [], deny = [], mode, listen, person } = options;
  for (const text of settings.problems) listen({ kind: "notice", text });
  const rules = {
    allow: [...settings.allow, ...allow.map((rule) => toRule(rule, cwd))],
    ask: settings.ask,
    deny: [...settings.deny, ...deny.map((rule) => toRule(rule, cwd))],
  };
  return new PermissionDesk(rules, mode ?? settings.defaultMode ?? "default", workspace, person);
}

function toRule(text: string, base: string): Rule {
  const rule = parseRule(text, base);
  if (rule) return rule;
  throw new UserError("usage", `not a permission rule: ${text}`, "for example Read, Edit(src/**) or Bash(npm test:*)");
}
