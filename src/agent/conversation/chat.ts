import { randomUUID } from "node:crypto";
import { type ApiBlock, type ApiMessage, textBlock } from "../../format/record/api-message.js";
import type { ChatHost } from "../chat-host.js";
import { ContextWindow } from "../context/context-window.js";
import { today } from "../context/system-prompt.js";
import type { HookCall } from "../hooks/run-hooks.js";
import type { ModelError } from "../model/model.js";
import type { Spending } from "../model/spending.js";
import type { Tool } from "../tools/tool.js";
import type { Workspace } from "../workspace.js";
import { recordAiTitle } from "./ask-aside.js";
import type { ConversationEvent } from "./chat-event.js";
import type { AgentLauncher, Conversation } from "./conversation.js";
import { append, type Call, type LoopEnd } from "./loop.js";
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
import type { SessionLog } from "./session-log/session-log.js";
import {
  customTitleLine,
  lastPromptLine,
  permissionModeLine,
  queueLine,
  toolsUsedLine,
} from "./session-log/side-lines.js";
import { Turn, type TurnRun } from "./turn.js";

export type Content = string | readonly ApiBlock[];

export interface TurnResult {
  readonly end: LoopEnd | "blocked"; // blocked: a hook blocked the prompt
  readonly text: string;
  readonly turns: number;
  readonly durationMs: number;
  readonly error: ModelError | undefined;
}

/** A conversation that is recorded as it happens. One turn at a time; prompts sent meanwhile are queued. */
export class Chat implements Conversation {
  readonly depth = 0;
  readonly agent = null;
  readonly #contextWindow: ContextWindow;
  readonly #queue: string[] = [];
  readonly #toolsUsed = new Set<string>();
  #messages: readonly ApiMessage[];
  #turns: number;
  #promptId = "";
  #hasBegun = false;
  #hasContext: boolean;

  constructor(
    readonly host: ChatHost,
    readonly launcher: AgentLauncher,
  ) {
    const { messages = [], turns = 0 } = host.log.history ?? {};
    this.#messages = messages;
    this.#turns = turns;
    this.#hasContext = host.log.promptContext !== undefined;
    this.#contextWindow = new ContextWindow(this);
  }

  get log(): SessionLog {
    return this.host.log;
  }

  get workspace(): Workspace {
    return this.host.workspace;
  }

  get tools(): readonly Tool[] {
    return this.host.tools;
  }

  get modelName(): string {
    return this.host.modelName;
  }

  get spending(): Spending {
    return this.host.spending;
  }

  get sessionId(): string {
    return this.log.sessionId;
  }

  get contextTokens(): number {
    return this.#contextWindow.tokens(this.#messages);
  }

  readonly emit = (event: ConversationEvent): void => this.host.listen({ ...event, agent: null });

  system(): readonly string[] {
    return this.host.prompts.ofMain(this.modelName, this.host.desk.mode === "plan");
  }

  recordOfChange(callUuid: string): string {
    return callUuid;
  }

  /** Runs one turn. */
  async send(content: Content, source: PromptSource, signal: AbortSignal): Promise<TurnResult> {
    const started = performance.now();
    await this.host.leaveDisturbedFile();
    const { block, contexts } = await this.#askHooks(content, source, signal);
    if (block !== undefined) return this.#keepBack(block, performance.now() - started);
    await this.#begin(content, source, signal);
    this.#tellModel(contexts);
    if (this.host.options.isNamed && this.#turns === 0) this.#findTitle(toText(content));
    const run = await this.#run(signal);
    return this.#finish(run, toText(content), performance.now() - started);
  }

  /** Queues a message during a turn: the model reads it after the next tool results. */
  enqueue(text: string): void {
    this.#recordQueue("enqueue", text);
    this.#queue.push(text);
  }

  /** Removes and returns queued messages that no turn has read. */
  takeQueued(): readonly string[] {
    for (const _ of this.#queue) this.#recordQueue("dequeue");
    return this.#queue.splice(0);
  }

  /** False: a summary would not be shorter. */
  async compact(instructions: string | undefined, signal: AbortSignal): Promise<boolean> {
    if (this.#messages.length === 0) return false;
    await this.host.leaveDisturbedFile();
    const promptId = randomUUID();
    const after = await this.#contextWindow.compact(this.#messages, {
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
    for (const line of localCommandLines(command, args, output)) this.log.add(line);
  }

  rename(title: string): void {
    this.log.addSide(customTitleLine(this.sessionId, title));
  }

  /** False: some records could not be written. */
  close(): Promise<boolean> {
    return this.host.close(() => this.launcher.settle());
  }

  async #askHooks(
    content: Content,
    source: PromptSource,
    signal: AbortSignal,
  ): Promise<{ block: string | undefined; contexts: readonly string[] }> {
    const { hooks } = this.host;
    const isFirst = !this.#hasBegun;
    const begun = isFirst ? await hooks.run("SessionStart", startCall(this.#turns > 0, signal)) : undefined;
    this.#hasBegun = true;
    const date = isFirst ? newDate(this.host.promptContext.date) : undefined;
    const fields = { prompt: toText(content) };
    const asked = source === "system" ? undefined : await hooks.run("UserPromptSubmit", { signal, fields });
    return {
      block: asked?.block,
      contexts: [date, begun?.context, asked?.context].filter((text) => text !== undefined),
    };
  }

  /** Beside the turn; a session without a title is no reason to end the chat. */
  #findTitle(prompt: string): void {
    recordAiTitle(this, prompt).catch((error: Error) =>
      this.host.listen({ kind: "notice", text: `no title was found: ${error.message}` }),
    );
  }

  #keepBack(reason: string, durationMs: number): TurnResult {
    this.host.listen({ kind: "notice", text: `a hook blocked the prompt: ${reason}` });
    return { end: "blocked", text: "", turns: 0, durationMs: Math.round(durationMs), error: undefined };
  }

  #tellModel(texts: readonly string[]): void {
    for (const text of texts) this.log.add(metaLine(text, this.#promptId));
    this.#messages = append(this.#messages, "user", texts.map(textBlock));
  }

  /** The prompt is on disk before anything is sent. */
  async #begin(content: Content, source: PromptSource, signal: AbortSignal): Promise<void> {
    const { log } = this;
    const contextWindow = this.#contextWindow;
    this.#promptId = randomUUID();
    contextWindow.startTurn();
    if (source !== "typed") this.#recordQueue("enqueue", toText(content));
    const asked = toBlocks(content);
    const whole = append(this.#messages, "user", asked);
    if (this.#messages.length > 0 && contextWindow.tokens(whole) >= contextWindow.limit) {
      this.#messages = await contextWindow.makeRoom(this.#messages, false, this.#promptId, signal);
    }
    if (source !== "typed") this.#recordQueue("dequeue");
    const uuid = randomUUID();
    log.startPrompt(uuid);
    const permissionMode = this.host.desk.mode;
    const context = this.#hasContext ? undefined : this.host.promptContext;
    this.#hasContext = true;
    const fields = { promptId: this.#promptId, permissionMode, source, turnIndex: this.#turns + 1, context };
    log.add(promptLine(content, fields), uuid);
    this.#messages = append(this.#messages, "user", asked);
    await log.sync();
  }

  #recordQueue(operation: "enqueue" | "dequeue", text?: string): void {
    this.log.addSide(queueLine(this.sessionId, operation, this.log.time(), text));
  }

  #run(signal: AbortSignal): Promise<TurnRun> {
    const turn = new Turn(this, this.#contextWindow, this.#promptId, signal);
    return turn.run(this.#messages, this.host.options.maxTurns);
  }

  async #finish(run: TurnRun, prompt: string, durationMs: number): Promise<TurnResult> {
    const { log, sessionId } = this;
    this.#turns += 1;
    this.#adopt(run);
    log.add(turnDurationLine(Math.round(durationMs), log.lines, this.launcher.background.length));
    if (log.leaf !== null) log.addSide(lastPromptLine(sessionId, prompt, log.leaf));
    log.addSide(permissionModeLine(sessionId, this.host.desk.mode));
    if (this.#toolsUsed.size > 0) log.addSide(toolsUsedLine(sessionId, [...this.#toolsUsed]));
    await log.sync();
    const { end, turns, error } = run;
    return { end, turns, error, text: error ? "" : run.text, durationMs: Math.round(durationMs) };
  }

  #adopt(run: TurnRun): void {
    this.#messages = run.messages;
    for (const name of run.toolsUsed) this.#toolsUsed.add(name);
    if (run.error) this.log.add(apiErrorLine(run.error));
    if (run.end !== "interrupted" && run.end !== "refused") return;
    const isAtResults = this.#messages.at(-1)?.content.at(-1)?.type === "tool_result";
    const text = isAtResults ? INTERRUPTED_TOOL : INTERRUPTED;
    this.log.add(interruptLine(text, this.#promptId, run.lastMessageId));
    this.#messages = append(this.#messages, "user", [textBlock(text)]);
  }

  takeFollowUps(): readonly ApiBlock[] {
    return this.takeQueued().map((text) => {
      this.log.add(followUpLine(text, this.#promptId));
      return textBlock(text);
    });
  }

  async mayRepeat({ name, input }: Call): Promise<boolean> {
    const { person } = this.host.options;
    const reason = "the model made exactly this call three times in a row";
    const answer = await person?.approve({ tool: name, input, reason, suggestions: [] });
    return answer === "yes" || answer === "always";
  }
}

/** The system prompt of a resumed session keeps its date. */
function newDate(date: string): string | undefined {
  const now = today();
  return now === date
    ? undefined
    : `<system-reminder>\nThe date has changed. Today's date is now ${now}.\n</system-reminder>`;
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
  "max-tokens": "stopped: the token limit is reached",
  interrupted: "interrupted",
  refused: "stopped, because a call was refused",
};
