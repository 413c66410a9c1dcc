import { type ApiBlock, type ApiMessage, textBlock } from "../../format/record/api-message.js";
import type { ContextWindow } from "../context/context-window.js";
import { type Answer, ModelError } from "../model/model.js";
import { CallRunner } from "./call-runner.js";
import { type Conversation, spend } from "./conversation.js";
import { type Call, type LoopAnswer, type LoopResult, type LoopWorld, NO_ANSWER, runLoop, TOO_LONG } from "./loop.js";
import { AnswerRecorder, type RecordedAnswer } from "./session-log/answer-recorder.js";
import { metaLine } from "./session-log/lines.js";

export interface TurnRun extends LoopResult {
  readonly toolsUsed: readonly string[];
  readonly toolUses: number;
  readonly lastMessageId: string | undefined;
  /** The text of the last answer that had any. */
  readonly text: string;
  /** Why the API returned no answer. */
  readonly error: ModelError | undefined;
}

const MAX_OBJECTIONS = 5;
/** Tools that poll, so repeated calls are normal. */
const WAITING_TOOLS: ReadonlySet<string> = new Set(["BashOutput"]);

/** One turn of a conversation: asks the model and runs its calls, each step recorded before the next. */
export class Turn implements LoopWorld {
  readonly #toolsUsed = new Set<string>();
  readonly #runner: CallRunner;
  #toolUses = 0;
  #lastMessageId: string | undefined;
  #text = "";
  #error: ModelError | undefined;
  #objections = 0;

  constructor(
    private readonly conversation: Conversation,
    private readonly contextWindow: ContextWindow,
    private readonly promptId: string,
    private readonly signal: AbortSignal,
  ) {
    this.#runner = new CallRunner(conversation, promptId, signal);
  }

  async run(messages: readonly ApiMessage[], maxTurns: number | undefined): Promise<TurnRun> {
    const result = await runLoop(this, messages, { maxTurns });
    return {
      ...result,
      toolsUsed: [...this.#toolsUsed],
      toolUses: this.#toolUses,
      lastMessageId: this.#lastMessageId,
      text: this.#text,
      error: result.end === "api-error" ? this.#error : undefined,
    };
  }

  get isInterrupted(): boolean {
    return this.signal.aborted;
  }

  get isRefused(): boolean {
    return this.#runner.isRefused;
  }

  get limitReached(): "max-cost" | "max-tokens" | undefined {
    return this.conversation.host.limitReached;
  }

  makeRoom(messages: readonly ApiMessage[], isFull: boolean): Promise<readonly ApiMessage[]> {
    return this.contextWindow.makeRoom(messages, isFull, this.promptId, this.signal);
  }

  async ask(messages: readonly ApiMessage[]): Promise<LoopAnswer> {
    const { host, log, tools, modelName, agent } = this.conversation;
    const { effort } = host.options;
    const recorder = new AnswerRecorder(log, { requestedModel: modelName, effort, agentType: agent?.type });
    const started = performance.now();
    try {
      const answer = await host.model.answer(
        { model: modelName, system: this.conversation.system(), tools, messages },
        (event) => {
          recorder.hear(event);
          this.conversation.emit(event);
        },
        this.signal,
      );
      const recorded = answer.stopReason === null ? recorder.abort(answer) : recorder.finish(answer);
      this.#count(recorder, answer, performance.now() - started);
      if (answer.stopReason !== null) this.contextWindow.noteUsage(answer.usage, messages.length + 1);
      this.#lastMessageId = answer.id || this.#lastMessageId;
      return this.#toLoopAnswer(recorded, answer.stopReason);
    } catch (error) {
      recorder.giveUp();
      this.#count(recorder, undefined, performance.now() - started);
      if (!(error instanceof ModelError)) throw error;
      this.#error = error;
      return { blocks: [], calls: [], cutCalls: [], stopReason: error.kind === "too-long" ? TOO_LONG : NO_ANSWER };
    }
  }

  /** Failed attempts count as far as they are recorded: a reader of the file counts them too. */
  #count({ discarded, hasRecords }: AnswerRecorder, answer: Answer | undefined, durationMs: number): void {
    for (const { model, usage } of discarded)
      spend(this.conversation, { model, usage, durationMs: 0, isRecorded: true });
    if (!answer) return;
    const { model, usage } = answer;
    spend(this.conversation, { model, usage, durationMs, isRecorded: hasRecords });
  }

  #toLoopAnswer({ blocks, cutCallId }: RecordedAnswer, stopReason: string | null): LoopAnswer {
    const made = blocks.filter(({ type }) => type === "tool_use").map(toCall);
    const calls = made.filter(({ id }) => id !== cutCallId);
    const cutCalls = made.filter(({ id }) => id === cutCallId);
    for (const { name } of calls) this.#toolsUsed.add(name);
    this.#toolUses += calls.length;
    const texts = blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
    if (texts.length > 0) this.#text = texts.join("\n\n");
    return { blocks: withoutLoneThinking(blocks), calls, cutCalls, stopReason };
  }

  runCalls(calls: readonly Call[]): Promise<readonly ApiBlock[]> {
    return this.#runner.run(calls);
  }

  async mayRepeat(call: Call): Promise<boolean> {
    return WAITING_TOOLS.has(call.name) || this.conversation.mayRepeat(call);
  }

  refuseCalls(calls: readonly Call[], reason: string): readonly ApiBlock[] {
    return this.#runner.refuse(calls, reason);
  }

  takeFollowUps(): readonly ApiBlock[] {
    return this.conversation.takeFollowUps();
  }

  async beforeEnd(): Promise<readonly ApiBlock[]> {
    const { host, agent } = this.conversation;
    if (this.#objections >= MAX_OBJECTIONS) return [];
    const event = agent === null ? "Stop" : "SubagentStop";
    const objection = await host.hooks.objection(event, this.#objections > 0, this.signal);
    if (objection === undefined || this.signal.aborted) return [];
    this.#objections += 1;
    return [this.nudge(objection)];
  }

  nudge(text: string): ApiBlock {
    this.conversation.log.add(metaLine(text, this.promptId));
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
