import { randomUUID } from "node:crypto";
import { type ApiBlock, type ApiMessage, textBlock } from "../../format/record/api-message.js";
import type { ChatOptions } from "../chat-options.js";
import type { ContextWindow } from "../context/context-window.js";
import type { HookCall } from "../hooks/run-hooks.js";
import type { ModelError } from "../model/model.js";
import { recordAiTitle } from "./ask-aside.js";
import type { ChatCore } from "./chat-core.js";
import { append, type Call, type LoopEnd } from "./loop.js";
import type { FileHistoryRecorder } from "./session-log/file-history-recorder.js";
import {
  apiErrorLine,
  followUpLine,
  INTERRUPTED,
  INTERRUPTED_TOOL,
  interruptLine,
  localCommandLines,
  metaLine,
  type PromptSource,
  promptLine,
  turnDurationLine,
} from "./session-log/lines.js";
import {
  customTitleLine,
  lastPromptLine,
  permissionModeLine,
  queueLine,
  toolsUsedLine,
} from "./session-log/side-lines.js";
import { runTurn, type TurnRun } from "./turn.js";

export type Content = string | readonly ApiBlock[];

export interface TurnResult {
  readonly end: LoopEnd | "blocked"; // blocked: a hook blocked the prompt
  readonly text: string;
  readonly turns: number;
  readonly durationMs: number;
  readonly error: ModelError | undefined;
}

/** The parts of a chat; `openChat` creates them. */
export interface ChatParts {
  readonly core: ChatCore;
  readonly options: ChatOptions;
  readonly contextWindow: ContextWindow;
  readonly fileHistory: () => FileHistoryRecorder;
  readonly system: () => readonly string[];
  readonly messages: readonly ApiMessage[];
  readonly turns: number;
  /** Continues in a copy if another program wrote to the session. */
  readonly leaveDisturbedFile: () => Promise<void>;
  readonly onClose: () => Promise<boolean>;
}

/** A conversation that is recorded as it happens. One turn at a time; prompts sent meanwhile are queued. */
export class Chat {
  readonly #parts: ChatParts;
  readonly #queue: string[] = [];
  readonly #toolsUsed = new Set<string>();
  #messages: readonly ApiMessage[];
  #turns: number;
  #promptId = "";
  #hasBegun = false;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#messages = parts.messages;
    this.#turns = parts.turns;
  }

  get core(): ChatCore {
    return this.#parts.core;
  }

  get sessionId(): string {
    return this.core.recorder.sessionId;
  }

  get contextTokens(): number {
    return this.#parts.contextWindow.tokens(this.#messages);
  }

  /** Runs one turn. */
  async send(content: Content, source: PromptSource, signal: AbortSignal): Promise<TurnResult> {
    const started = performance.now();
    await this.#parts.leaveDisturbedFile();
    const { block, contexts } = await this.#askHooks(content, source, signal);
    if (block !== undefined) return this.#keepBack(block, performance.now() - started);
    await this.#begin(content, source, signal);
    this.#tellModel(contexts);
    if (this.#parts.options.isNamed && this.#turns === 0) void recordAiTitle(this.core, toText(content));
    const run = await this.#run(signal);
    return this.#finish(run, toText(content), performance.now() - started);
  }

  /** Queues a message during a turn: the model reads it after the next tool results. */
  enqueue(text: string): void {
    const { recorder } = this.core;
    recorder.addSide(queueLine(recorder.sessionId, "enqueue", recorder.time(), text));
    this.#queue.push(text);
  }

  /** Removes and returns queued messages that no turn has read. */
  takeQueued(): readonly string[] {
    const { recorder } = this.core;
    for (const _ of this.#queue) recorder.addSide(queueLine(recorder.sessionId, "dequeue", recorder.time()));
    return this.#queue.splice(0);
  }

  /** False: a summary would not be shorter. */
  async compact(instructions: string | undefined, signal: AbortSignal): Promise<boolean> {
    if (this.#messages.length === 0) return false;
    await this.#parts.leaveDisturbedFile();
    const promptId = randomUUID();
    const after = await this.#parts.contextWindow.compact(this.#messages, {
      trigger: "manual",
      promptId,
      signal,
      instructions,
    });
    if (after) this.#messages = after;
    return after !== undefined;
  }

  /** Records a local command of the user. */
  recordCommand(command: string, args: string, output: string): void {
    for (const line of localCommandLines(command, args, output)) this.core.recorder.add(line);
  }

  rename(title: string): void {
    this.core.recorder.addSide(customTitleLine(this.sessionId, title));
  }

  /** False: some records could not be written. */
  close(): Promise<boolean> {
    return this.#parts.onClose();
  }

  async #askHooks(
    content: Content,
    source: PromptSource,
    signal: AbortSignal,
  ): Promise<{ block: string | undefined; contexts: readonly string[] }> {
    const { hooks } = this.core;
    const begun = this.#hasBegun ? undefined : await hooks.run("SessionStart", startCall(this.#turns > 0, signal));
    this.#hasBegun = true;
    const fields = { prompt: toText(content) };
    const asked = source === "system" ? undefined : await hooks.run("UserPromptSubmit", { signal, fields });
    return { block: asked?.block, contexts: [begun?.context, asked?.context].filter((text) => text !== undefined) };
  }

  #keepBack(reason: string, durationMs: number): TurnResult {
    this.core.listen({ kind: "notice", text: `a hook blocked the prompt: ${reason}` });
    return { end: "blocked", text: "", turns: 0, durationMs: Math.round(durationMs), error: undefined };
  }

  #tellModel(texts: readonly string[]): void {
    for (const text of texts) this.core.recorder.add(metaLine(text, this.#promptId));
    this.#messages = append(this.#messages, "user", texts.map(textBlock));
  }

  /** The prompt is on disk before anything is sent. */
  async #begin(content: Content, source: PromptSource, signal: AbortSignal): Promise<void> {
    const { core, contextWindow, fileHistory } = this.#parts;
    this.#promptId = randomUUID();
    contextWindow.startTurn();
    const { recorder } = core;
    const queue = (operation: "enqueue" | "dequeue", text?: string) =>
      recorder.addSide(queueLine(recorder.sessionId, operation, recorder.time(), text));
    if (source !== "typed") queue("enqueue", toText(content));
    const asked = toBlocks(content);
    const whole = append(this.#messages, "user", asked);
    if (this.#messages.length > 0 && contextWindow.tokens(whole) >= contextWindow.limit) {
      this.#messages = await contextWindow.makeRoom(this.#messages, false, this.#promptId, signal);
    }
    if (source !== "typed") queue("dequeue");
    const uuid = randomUUID();
    fileHistory().startPrompt(uuid);
    const fields = { promptId: this.#promptId, permissionMode: core.desk.mode, source, turnIndex: this.#turns + 1 };
    recorder.add(promptLine(content, fields), uuid);
    this.#messages = append(this.#messages, "user", asked);
    await recorder.sync();
  }

  #run(signal: AbortSignal): Promise<TurnRun> {
    const { core, contextWindow, system, options } = this.#parts;
    const { recorder, workspace, listen, tools, spending } = core;
    const parts = {
      ...{ core, recorder, workspace, listen, tools, spending, contextWindow, system, signal },
      modelName: () => core.modelName,
      promptId: this.#promptId,
      depth: 0,
      historyUuid: undefined,
      agentType: undefined,
      maxTurns: options.maxTurns,
      takeFollowUps: () => this.#takeFollowUps(),
      mayRepeat: (call: Call) => this.#mayRepeat(call),
    };
    return runTurn(parts, this.#messages);
  }

  async #finish(run: TurnRun, prompt: string, durationMs: number): Promise<TurnResult> {
    const { recorder, desk } = this.core;
    const { sessionId } = recorder;
    this.#turns += 1;
    this.#adopt(run);
    recorder.add(turnDurationLine(Math.round(durationMs), recorder.lines));
    if (recorder.leaf !== null) recorder.addSide(lastPromptLine(sessionId, prompt, recorder.leaf));
    recorder.addSide(permissionModeLine(sessionId, desk.mode));
    if (this.#toolsUsed.size > 0) recorder.addSide(toolsUsedLine(sessionId, [...this.#toolsUsed]));
    await recorder.sync();
    const { end, turns, error } = run;
    return { end, turns, error, text: error ? "" : run.text, durationMs: Math.round(durationMs) };
  }

  #adopt(run: TurnRun): void {
    this.#messages = run.messages;
    for (const name of run.toolsUsed) this.#toolsUsed.add(name);
    if (run.error) this.core.recorder.add(apiErrorLine(run.error));
    if (run.end !== "interrupted") return;
    const isAtResults = this.#messages.at(-1)?.content.at(-1)?.type === "tool_result";
    const text = isAtResults ? INTERRUPTED_TOOL : INTERRUPTED;
    this.core.recorder.add(interruptLine(text, this.#promptId, run.lastMessageId));
    this.#messages = append(this.#messages, "user", [textBlock(text)]);
  }

  #takeFollowUps(): readonly ApiBlock[] {
    const { recorder } = this.core;
    return this.takeQueued().map((text) => {
      recorder.add(followUpLine(text, this.#promptId));
      return textBlock(text);
    });
  }

  async #mayRepeat({ name, input }: Call): Promise<boolean> {
    const { person } = this.#parts.options;
    const reason = "the model made exactly this call three times in a row";
    const answer = await person?.approve({ tool: name, input, reason, suggestions: [] });
    return answer === "yes" || answer === "always";
  }
}

function startCall(isResumed: boolean, signal: AbortSignal): HookCall {
  const source = isResumed ? "resume" : "startup";
  return { signal, subject: source, fields: { source } };
}

function toBlocks(content: Content): readonly ApiBlock[] {
  return typeof content === "string" ? [textBlock(content)] : content;
}

function toText(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}

/** Why a turn ended early; undefined: the model was done. */
export function whyEnded(end: TurnResult["end"]): string | undefined {
  return REASONS[end];
}

const REASONS: Readonly<Record<TurnResult["end"], string | undefined>> = {
  done: undefined,
  "api-error": "the API returned no answer",
  blocked: "a hook blocked the prompt",
  refusal: "the model refused to continue",
  "cut-off": "the answer did not end: it reached the output limit or paused repeatedly",
  repeated: "stopped: the model kept making the same call",
  "max-turns": "stopped: the limit of answers is reached",
  "max-cost": "stopped: the cost limit is reached",
  interrupted: "interrupted",
};
