import type { JsonObject } from "../../format/json.js";
import { textBlock } from "../../format/record/api-message.js";
import { ContextWindow } from "../context/context-window.js";
import { whyEnded } from "../conversation/chat.js";
import type { ChatCore } from "../conversation/chat-core.js";
import type { Listen } from "../conversation/chat-event.js";
import type { Layout } from "../conversation/session-log/file-history-recorder.js";
import {
  agentPromptLine,
  apiErrorLine,
  INTERRUPTED,
  INTERRUPTED_TOOL,
  interruptLine,
  toWireUsage,
} from "../conversation/session-log/lines.js";
import { type AgentMeta, newAgentFile, writeAgentMeta } from "../conversation/session-log/open-record.js";
import { Recorder } from "../conversation/session-log/recorder.js";
import { runTurn, type TurnRun } from "../conversation/turn.js";
import { resolveModel } from "../model/model-facts.js";
import { Spending } from "../model/spending.js";
import { ToolError } from "../tools/tool.js";
import type { AgentReport, AgentRequest } from "../tools/tool-context.js";
import { agentTools } from "../tools/toolbox.js";
import { Workspace } from "../workspace.js";
import type { AgentType } from "./agent-types.js";

const MAX_DEPTH = 2;
const MAX_AT_ONCE = 6;
const MAX_AGENT_TURNS = 200;

export interface Launch {
  readonly request: AgentRequest;
  readonly callId: string;
  readonly callUuid: string;
  readonly depth: number;
  readonly promptId: string;
  readonly signal: AbortSignal;
  /** Writes a progress record to the session that launched it. */
  readonly progress: (data: JsonObject) => void;
}

/** A task that runs in the background. */
export interface BackgroundTask {
  readonly callId: string;
  readonly description: string;
}

interface RunningAgent {
  readonly type: AgentType;
  readonly agentId: string;
  readonly path: string;
  readonly model: string;
}

/** Runs sub-agents, each recorded in its own file. */
export class SubAgents {
  /** One pool per depth: agents that share a pool with their own sub-agents would deadlock. */
  readonly #slots = Array.from({ length: MAX_DEPTH }, () => new Slots(MAX_AT_ONCE));
  readonly #background = new Map<Promise<unknown>, BackgroundTask>();

  constructor(
    private readonly core: ChatCore,
    private readonly layout: Layout,
    private readonly onBackgroundEnd: (
      agent: AgentReport & { kind: "done" },
      callId: string,
      description: string,
    ) => void,
  ) {}

  /** Sub-agents that run in the background. */
  get background(): readonly BackgroundTask[] {
    return [...this.#background.values()];
  }

  async launch(launch: Launch): Promise<AgentReport> {
    const { request, depth } = launch;
    const slots = this.#slots[depth - 1];
    if (!slots) throw new ToolError("Sub-agents cannot be nested any deeper; do it yourself.", true);
    const type = this.core.agentTypes.find(({ name }) => name.toLowerCase() === request.type.toLowerCase());
    if (!type) {
      const names = this.core.agentTypes.map(({ name }) => name).join(", ");
      throw new ToolError(`Agent type '${request.type}' not found. There are: ${names}`, true);
    }
    const file = newAgentFile(this.core.recorder.path, this.layout);
    const agent: RunningAgent = {
      type,
      ...file,
      model: resolveModel(request.model ?? type.model ?? this.core.modelName),
    };
    const { signal } = launch;
    if (!request.inBackground) return slots.run(signal, () => this.#run(agent, launch));
    const { closing } = this.core;
    const work = slots
      .run(closing, () => this.#run(agent, { ...launch, signal: closing }))
      .then(
        (report) => this.onBackgroundEnd(report, launch.callId, request.description),
        (error: unknown) => this.onBackgroundEnd(failedReport(agent, error), launch.callId, request.description),
      );
    this.#background.set(work, { callId: launch.callId, description: request.description });
    void work.finally(() => this.#background.delete(work));
    return { kind: "launched", agentId: agent.agentId, outputFile: agent.path, model: agent.model };
  }

  async settle(): Promise<void> {
    await Promise.allSettled(this.#background.keys());
  }

  async #run(agent: RunningAgent, launch: Launch): Promise<AgentReport & { kind: "done" }> {
    const started = performance.now();
    const meta = toMeta(agent, launch);
    writeAgentMeta(agent.path, { ...meta, finished: false }, this.layout);
    const recorder = this.#openRecorder(agent, launch);
    recorder.add(agentPromptLine(launch.request.prompt, launch.promptId)); // at once, so that no empty file remains
    try {
      const spending = new Spending(undefined, this.core.spending);
      const run = await this.#converse(agent, launch, recorder, spending);
      if (run.error) throw run.error;
      return toReport(agent, run, spending, performance.now() - started);
    } finally {
      await recorder.close();
      writeAgentMeta(agent.path, { ...meta, finished: true }, this.layout);
    }
  }

  async #converse(agent: RunningAgent, launch: Launch, recorder: Recorder, spending: Spending): Promise<TurnRun> {
    const { core } = this;
    const { request, promptId, signal, depth } = launch;
    const listen: Listen = (event) => (event.kind === "delta" ? undefined : core.listen(event));
    const tools = agentTools(core.tools, agent.type, depth < MAX_DEPTH);
    const modelName = () => agent.model;
    const workspace = new Workspace(core.workspace.projectRoot, core.workspace.roots, core.workspace.home);
    workspace.cwd = core.workspace.cwd;
    workspace.variables = core.workspace.variables;
    const { compactAt, hooks, model } = core;
    const contextWindow = new ContextWindow({
      model,
      modelName,
      recorder: () => recorder,
      listen,
      hooks,
      compactAt,
      spending,
    });
    const run = await runTurn(
      {
        ...{ core, recorder, workspace, listen, tools, spending, contextWindow, signal, modelName, promptId, depth },
        system: () => core.agentSystem(agent.type),
        historyUuid: launch.callUuid,
        agentType: agent.type.name,
        maxTurns: MAX_AGENT_TURNS,
        takeFollowUps: () => [],
        mayRepeat: async () => false,
      },
      [{ role: "user", content: [textBlock(request.prompt)] }],
    );
    if (run.error) recorder.add(apiErrorLine(run.error));
    if (run.end === "interrupted") {
      recorder.add(interruptLine(run.toolUses > 0 ? INTERRUPTED_TOOL : INTERRUPTED, promptId, run.lastMessageId));
    }
    return run;
  }

  #openRecorder(agent: RunningAgent, { callId, progress }: Launch): Recorder {
    const { core } = this;
    return new Recorder({
      ...core.recorderBasics,
      path: agent.path,
      sessionId: core.recorder.sessionId,
      agentId: agent.agentId,
      cwd: () => core.workspace.cwd,
      onLine: (line) => {
        core.listen({ kind: "line", line, parentCallId: callId });
        progress({
          type: "agent_progress",
          agentId: agent.agentId,
          message: { type: line.type, message: line["message"] },
        });
      },
    });
  }
}

function toMeta({ type }: RunningAgent, { request, callId, depth }: Launch): Omit<AgentMeta, "finished"> {
  return {
    agentType: type.name,
    isBuiltIn: type.isBuiltIn,
    description: request.description,
    toolUseId: callId,
    spawnDepth: depth,
    requestShape: request.inBackground ? "background" : "foreground",
  };
}

function toReport(
  { agentId, type, model }: RunningAgent,
  run: TurnRun,
  spending: Spending,
  durationMs: number,
): AgentReport & { kind: "done" } {
  const { usage } = spending;
  return {
    kind: "done",
    agentId,
    type: type.name,
    text: run.text,
    model,
    durationMs: Math.round(durationMs),
    tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
    toolUses: run.toolUses,
    toolsUsed: run.toolsUsed,
    usage: toWireUsage(usage),
    wasInterrupted: run.end === "interrupted",
    problem: whyEnded(run.end),
  };
}

function failedReport({ agentId, type, model }: RunningAgent, error: unknown): AgentReport & { kind: "done" } {
  const problem = error instanceof Error ? error.message : String(error);
  const nothing = { text: "", durationMs: 0, tokens: 0, toolUses: 0, toolsUsed: [], usage: {}, wasInterrupted: false };
  return { kind: "done", agentId, type: type.name, model, problem, ...nothing };
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
