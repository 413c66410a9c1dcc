import { type ApiBlock, type ApiMessage, textBlock } from "../../format/record/api-message.js";
import type { ContextWindow } from "../context/context-window.js";
import { ModelError } from "../model/model.js";
import type { Spending } from "../model/spending.js";
import type { Tool } from "../tools/tool.js";
import { byName } from "../tools/toolbox.js";
import { CallRunner } from "./call-runner.js";
import type { ChatCore, ContextOptions } from "./chat-core.js";
import type { Listen } from "./chat-event.js";
import { type Call, type LoopAnswer, type LoopResult, type LoopWorld, NO_ANSWER, runLoop, TOO_LONG } from "./loop.js";
import { AnswerRecorder, type RecordedAnswer } from "./session-log/answer-recorder.js";
import { metaLine } from "./session-log/lines.js";

/** What differs between turns of the main conversation and of sub-agents; the rest is in `core`. */
export interface TurnParts extends ContextOptions {
  readonly core: ChatCore;
  readonly modelName: () => string;
  readonly system: () => readonly string[];
  readonly tools: readonly Tool[];
  readonly contextWindow: ContextWindow;
  readonly spending: Spending;
  readonly listen: Listen;
  readonly agentType: string | undefined;
  readonly maxTurns: number | undefined;
  readonly takeFollowUps: () => readonly ApiBlock[];
  readonly mayRepeat: (call: Call) => Promise<boolean>;
}

export interface TurnRun extends LoopResult {
  readonly toolsUsed: readonly string[];
  readonly toolUses: number;
  readonly lastMessageId: string | undefined;
  /** The text of the last answer that had any. */
  readonly text: string;
  /** Why the API returned no answer. */
  readonly error: ModelError | undefined;
}

/** Runs and records one turn of the main conversation or of a sub-agent. */
export async function runTurn(parts: TurnParts, messages: readonly ApiMessage[]): Promise<TurnRun> {
  const world = new TurnWorld(parts);
  const result = await runLoop(world, messages, { maxTurns: parts.maxTurns });
  const { toolsUsed, toolUses, lastMessageId, text } = world;
  const error = result.end === "api-error" ? world.error : undefined;
  return { ...result, toolsUsed: [...toolsUsed], toolUses, lastMessageId, text, error };
}

const MAX_OBJECTIONS = 5;
/** Tools that poll, so repeated calls are normal. */
const WAITING_TOOLS: ReadonlySet<string> = new Set(["BashOutput"]);

class TurnWorld implements LoopWorld {
  readonly toolsUsed = new Set<string>();
  toolUses = 0;
  lastMessageId: string | undefined;
  text = "";
  error: ModelError | undefined;
  #objections = 0;
  #callUuids: ReadonlyMap<string, string> = new Map();
  readonly #runner: CallRunner;

  constructor(private readonly parts: TurnParts) {
    const { core, tools } = parts;
    const { desk, hooks } = core;
    this.#runner = new CallRunner({ ...parts, desk, hooks, tools: byName(tools), context: core.contextMaker(parts) });
  }

  get isInterrupted(): boolean {
    return this.parts.signal.aborted;
  }

  get isOverBudget(): boolean {
    const { maxCost, spending } = this.parts.core;
    return maxCost !== undefined && spending.knownCost >= maxCost;
  }

  makeRoom(messages: readonly ApiMessage[], isFull: boolean): Promise<readonly ApiMessage[]> {
    return this.parts.contextWindow.makeRoom(messages, isFull, this.parts.promptId, this.parts.signal);
  }

  async ask(messages: readonly ApiMessage[]): Promise<LoopAnswer> {
    const { core, recorder, listen, signal, contextWindow, spending, agentType, tools } = this.parts;
    const asked = { model: this.parts.modelName(), system: this.parts.system(), tools };
    const writer = new AnswerRecorder(recorder, { requestedModel: asked.model, effort: core.effort, agentType });
    const started = performance.now();
    try {
      const answer = await core.model.answer(
        { ...asked, messages },
        {
          start: (start) => writer.start(start),
          delta: (of, text) => listen({ kind: "delta", of, text }),
          block: (block, index) => writer.block(block, index),
          retry: (notice) => listen({ kind: "retry", notice }),
        },
        signal,
      );
      const recorded = answer.stopReason === null ? writer.abort(answer) : writer.finish(answer);
      spending.add(answer.model, answer.usage, performance.now() - started);
      if (answer.stopReason !== null) contextWindow.noteUsage(answer.usage, messages.length + 1);
      this.lastMessageId = answer.id || this.lastMessageId;
      return this.#toLoopAnswer(recorded, answer.stopReason);
    } catch (error) {
      writer.giveUp();
      if (!(error instanceof ModelError)) throw error;
      this.error = error;
      return { blocks: [], calls: [], stopReason: error.kind === "too-long" ? TOO_LONG : NO_ANSWER };
    }
  }

  #toLoopAnswer({ blocks, callUuids }: RecordedAnswer, stopReason: string | null): LoopAnswer {
    this.#callUuids = callUuids;
    const calls = blocks.filter(({ type }) => type === "tool_use").map(toCall);
    for (const { name } of calls) this.toolsUsed.add(name);
    this.toolUses += calls.length;
    const texts = blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
    if (texts.length > 0) this.text = texts.join("\n\n");
    return { blocks: withoutLoneThinking(blocks), calls, stopReason };
  }

  runCalls(calls: readonly Call[]): Promise<readonly ApiBlock[]> {
    return this.#runner.run(calls, this.#callUuids);
  }

  async mayRepeat(call: Call): Promise<boolean> {
    return WAITING_TOOLS.has(call.name) || this.parts.mayRepeat(call);
  }

  refuseCalls(calls: readonly Call[], reason: string): readonly ApiBlock[] {
    return this.#runner.refuse(calls, this.#callUuids, reason);
  }

  takeFollowUps(): readonly ApiBlock[] {
    return this.parts.takeFollowUps();
  }

  async beforeEnd(): Promise<readonly ApiBlock[]> {
    const { core, agentType, signal } = this.parts;
    if (this.#objections >= MAX_OBJECTIONS) return [];
    const event = agentType === undefined ? "Stop" : "SubagentStop";
    const objection = await core.hooks.objection(event, this.#objections > 0, signal);
    if (objection === undefined || signal.aborted) return [];
    this.#objections += 1;
    return [this.nudge(objection)];
  }

  nudge(text: string): ApiBlock {
    this.parts.recorder.add(metaLine(text, this.parts.promptId));
    return textBlock(text);
  }
}

function toCall(block: ApiBlock): Call {
  return { id: String(block["id"]), name: String(block["name"]), input: block["input"] };
}

/** An answer must not end with thinking, which an aborted one may do. Replay of the file does the same. */
function withoutLoneThinking(blocks: readonly ApiBlock[]): readonly ApiBlock[] {
  const end = blocks.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking") + 1;
  return blocks.slice(0, end);
}
