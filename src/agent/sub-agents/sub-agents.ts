import { UserError } from "../../errors.js";
import { type ApiBlock, textBlock } from "../../format/record/api-message.js";
import type { ChatHost } from "../chat-host.js";
import { ContextWindow } from "../context/context-window.js";
import { whyEnded } from "../conversation/chat.js";
import type { AgentSource, ConversationEvent } from "../conversation/chat-event.js";
import type { AgentLauncher, Conversation, Launch } from "../conversation/conversation.js";
import type { AgentLog, AgentMeta } from "../conversation/session-log/agent-log.js";
import {
  agentPromptLine,
  apiErrorLine,
  INTERRUPTED,
  INTERRUPTED_TOOL,
  interruptLine,
  toWireUsage,
} from "../conversation/session-log/lines.js";
import { Turn, type TurnRun } from "../conversation/turn.js";
import { resolveModel } from "../model/model-facts.js";
import { Spending } from "../model/spending.js";
import { type Tool, ToolError } from "../tools/tool.js";
import type { AgentReport, AgentRequest } from "../tools/tool-context.js";
import { agentTools } from "../tools/toolbox.js";
import { Workspace } from "../workspace.js";
import type { AgentType } from "./agent-types.js";

const MAX_DEPTH = 2;
const MAX_AT_ONCE = 6;
const MAX_AGENT_TURNS = 200;

/** A task that runs in the background. */
export interface BackgroundTask {
  readonly callId: string;
  readonly description: string;
}

/** Runs sub-agents, each recorded in its own file. */
export class SubAgents implements AgentLauncher {
  /** One pool per depth: agents that share a pool with their own sub-agents would deadlock. */
  readonly #slots = Array.from({ length: MAX_DEPTH }, () => new Slots(MAX_AT_ONCE));
  readonly #background = new Map<Promise<unknown>, BackgroundTask>();

  constructor(private readonly host: ChatHost) {}

  /** Sub-agents that run in the background. */
  get background(): readonly BackgroundTask[] {
    return [...this.#background.values()];
  }

  async launch(launch: Launch): Promise<AgentReport> {
    const { request, from, call } = launch;
    const { closing, news, agentTypes } = this.host;
    const slots = this.#slots[from.depth];
    if (!slots) throw new ToolError("Sub-agents cannot be nested any deeper; do it yourself.", true);
    const type = agentTypes.find(({ name }) => name.toLowerCase() === request.type.toLowerCase());
    if (!type) {
      const names = agentTypes.map(({ name }) => name).join(", ");
      throw new ToolError(`Agent type '${request.type}' not found. There are: ${names}`, true);
    }
    const model = resolveModel(request.model ?? type.model ?? this.host.modelName);
    this.#requirePrice(model);
    const signal = request.inBackground ? closing : launch.signal;
    const agent = new SubAgent(this.host, this, type, model, { ...launch, signal });
    const running = slots.run(signal, () => agent.run()).finally(() => agent.log.close());
    if (!request.inBackground) return running;
    const work = running
      .catch((error: unknown) => agent.failedReport(error))
      .then((report) => news.agentEnded(report, call.id, request.description));
    this.#background.set(work, { callId: call.id, description: request.description });
    void work.finally(() => this.#background.delete(work));
    return { kind: "launched", agentId: agent.log.agentId, outputFile: agent.log.path, model: agent.modelName };
  }

  /** The model chooses the model of a sub-agent: a limit of cost must hold for that one, too. */
  #requirePrice(model: string): void {
    try {
      this.host.requirePrice(model);
    } catch (error) {
      throw error instanceof UserError ? new ToolError(`${error.message}; choose another model.`, true) : error;
    }
  }

  async settle(): Promise<void> {
    await Promise.allSettled(this.#background.keys());
  }
}

type DoneReport = AgentReport & { kind: "done" };

/** The conversation of a sub-agent. */
class SubAgent implements Conversation {
  readonly log: AgentLog;
  readonly workspace: Workspace;
  readonly tools: readonly Tool[];
  readonly spending: Spending;
  readonly depth: number;
  readonly #changeUuid: string;

  constructor(
    readonly host: ChatHost,
    readonly launcher: AgentLauncher,
    private readonly type: AgentType,
    readonly modelName: string,
    private readonly launch: Launch,
  ) {
    const { from, request, call } = launch;
    const { workspace } = host;
    this.depth = from.depth + 1;
    this.#changeUuid = from.recordOfChange(from.log.uuidOfCall(call.id));
    this.spending = new Spending(undefined, host.spending);
    this.tools = agentTools(host.tools, type, this.depth < MAX_DEPTH);
    this.workspace = new Workspace(workspace.projectRoot, workspace.roots, workspace.home);
    this.workspace.cwd = workspace.cwd;
    this.workspace.variables = workspace.variables;
    this.log = host.log.openAgent(toMeta(type, request, call.id, this.depth), from.log);
    this.log.add(agentPromptLine(request.prompt, launch.promptId)); // at once, so that no empty file remains
  }

  get agent(): AgentSource {
    return { agentId: this.log.agentId, type: this.type.name, callId: this.launch.call.id };
  }

  readonly emit = (event: ConversationEvent): void => this.host.listen({ ...event, agent: this.agent });

  system(): readonly string[] {
    return this.host.prompts.ofAgent(this.type, this.host.modelName);
  }

  recordOfChange(): string {
    return this.#changeUuid;
  }

  takeFollowUps(): readonly ApiBlock[] {
    return [];
  }

  async mayRepeat(): Promise<boolean> {
    return false;
  }

  async run(): Promise<DoneReport> {
    const started = performance.now();
    const run = await this.#converse();
    if (run.error) throw run.error;
    return this.#toReport(run, performance.now() - started);
  }

  async #converse(): Promise<TurnRun> {
    const { request, promptId, signal } = this.launch;
    const turn = new Turn(this, new ContextWindow(this), promptId, signal);
    const run = await turn.run([{ role: "user", content: [textBlock(request.prompt)] }], MAX_AGENT_TURNS);
    if (run.error) this.log.add(apiErrorLine(run.error));
    if (run.end === "interrupted" || run.end === "refused") {
      this.log.add(interruptLine(run.toolUses > 0 ? INTERRUPTED_TOOL : INTERRUPTED, promptId, run.lastMessageId));
    }
    return run;
  }

  #toReport(run: TurnRun, durationMs: number): DoneReport {
    const { usage } = this.spending;
    return {
      kind: "done",
      agentId: this.log.agentId,
      type: this.type.name,
      text: run.text,
      model: this.modelName,
      durationMs: Math.round(durationMs),
      tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
      toolUses: run.toolUses,
      toolsUsed: run.toolsUsed,
      usage: toWireUsage(usage),
      wasInterrupted: run.end === "interrupted",
      wasRefused: run.end === "refused",
      problem: whyEnded(run.end),
    };
  }

  failedReport(error: unknown): DoneReport {
    const problem = error instanceof Error ? error.message : String(error);
    const nothing = {
      text: "",
      durationMs: 0,
      tokens: 0,
      toolUses: 0,
      toolsUsed: [],
      usage: {},
      wasInterrupted: false,
      wasRefused: false,
    };
    const { type, modelName: model, log } = this;
    return { kind: "done", agentId: log.agentId, type: type.name, model, problem, ...nothing };
  }
}

function toMeta(type: AgentType, request: AgentRequest, toolUseId: string, spawnDepth: number): AgentMeta {
  return {
    agentType: type.name,
    isBuiltIn: type.isBuiltIn,
    description: request.description,
    toolUseId,
    spawnDepth,
    requestShape: request.inBackground ? "background" : "foreground",
  };
}

/** Limits how many run at a time; the others wait, or give up when their signal aborts. */
class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#giveBack();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((go, giveUp) => {
      const enter = () => {
        signal.removeEventListener("abort", leave);
        go();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        giveUp(signal.reason);
      };
      this.#waiting.push(enter);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  /** Passes the slot to the longest waiter directly. */
  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
