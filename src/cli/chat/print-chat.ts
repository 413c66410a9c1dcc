import { setTimeout as sleep } from "node:timers/promises";
import type { Content, TurnResult } from "../../agent/conversation/chat.js";
import type { ChatEvent } from "../../agent/conversation/chat-event.js";
import { type OpenedChat, openChat } from "../../agent/open-chat.js";
import { maskingRedactor } from "../../app/redaction.js";
import { UserError } from "../../errors.js";
import { stringAt } from "../../format/json.js";
import { toUsageCounters } from "../../format/record/usage-counters.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { neutralize } from "../../render/safe-text.js";
import { emptyUsage, sumUsage, toUsage } from "../../session/messages/usage.js";
import type { Io } from "../io.js";
import { printedLine } from "../terminal/printed-json.js";
import type { ChatFlags } from "./chat-flags.js";
import { describeEnd } from "./describe-end.js";
import { readMessages } from "./read-messages.js";
import { isSlashCommand, runSlashCommand } from "./slash-commands.js";
import { initMessage, lineMessage, resultMessage, type TurnTotals } from "./stream-messages.js";
import { toChatOptions } from "./to-chat-options.js";

/** 0: done. 1: an error. 3: a limit was reached. 130: interrupted. */
const EXIT_CODES: Readonly<Record<TurnResult["end"], number>> = {
  done: 0,
  "api-error": 1,
  blocked: 1,
  refusal: 1,
  "cut-off": 1,
  repeated: 1,
  refused: 1,
  "max-turns": 3,
  "max-cost": 3,
  "max-tokens": 3,
  interrupted: 130,
};

const FAILED = 1;

/** How long background commands may run after the last answer. */
const SHELL_PATIENCE_MS = 10_000;

/** Answers one prompt or piped prompts; returns the exit code. */
export async function printChat(prompt: string | undefined, flags: ChatFlags, io: Io): Promise<number> {
  const printer = new Printer(flags, io, await maskingRedactor(io));
  const interrupt = new AbortController();
  const ignore = io.onInterrupt(() => interrupt.abort());
  const options = await toChatOptions(flags, io, { listen: (event) => printer.hear(event), person: undefined });
  const prompts = await readMessages(prompt, flags, io, interrupt.signal);
  if (interrupt.signal.aborted) return EXIT_CODES.interrupted;
  const opened = await openChat(options);
  printer.open(opened);
  try {
    const exitCode = await answerAll(opened, prompts, printer, interrupt.signal);
    if (await opened.chat.close()) return exitCode;
    io.stderr("turnlog: the last records of the session could not be written; see the message above\n");
    return exitCode || FAILED;
  } finally {
    await opened.chat.close();
    ignore();
  }
}

async function answerAll(
  opened: OpenedChat,
  prompts: AsyncIterable<Content>,
  printer: Printer,
  signal: AbortSignal,
): Promise<number> {
  let exitCode: number | undefined;
  for await (const content of prompts) {
    const command = typeof content === "string" && isSlashCommand(content.trim()) ? content.trim() : undefined;
    exitCode =
      command === undefined
        ? await answerPrompt(opened, content, printer, signal)
        : await runCommand(opened, command, printer, signal);
    if (signal.aborted) break;
  }
  if (signal.aborted) return EXIT_CODES.interrupted;
  if (exitCode !== undefined) return exitCode;
  throw new UserError("usage", "no prompt", 'for example turnlog chat -p "what does this do?"');
}

async function answerPrompt(
  opened: OpenedChat,
  content: Content,
  printer: Printer,
  signal: AbortSignal,
): Promise<number> {
  const result = await answer(opened, content, printer, signal);
  // What sub-agents in the background still record belongs to the result.
  if (signal.aborted) await opened.chat.close();
  await printer.end(result);
  return EXIT_CODES[result.end];
}

/** A local command, such as /compact. */
async function runCommand(opened: OpenedChat, command: string, printer: Printer, signal: AbortSignal): Promise<number> {
  await printer.startTurn(opened);
  const started = performance.now();
  const world = {
    opened,
    terminal: undefined,
    withSignal: <T>(action: (it: AbortSignal) => Promise<T>) => action(signal),
  };
  const failure = await runSlashCommand(command, world).then(
    (text) => printer.endCommand({ text: text ?? "", failed: false, durationMs: performance.now() - started }),
    (error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      const text = `${error.message}${error.hint ? ` (${error.hint})` : ""}`;
      return printer.endCommand({ text, failed: true, durationMs: performance.now() - started });
    },
  );
  return failure ? FAILED : 0;
}

/** Runs the turn, and those that ended background tasks start. */
async function answer(
  opened: OpenedChat,
  content: Content,
  printer: Printer,
  signal: AbortSignal,
): Promise<TurnResult> {
  const { chat, news, subAgents } = opened;
  await printer.startTurn(opened);
  const started = performance.now();
  let result = await chat.send(content, "sdk", signal);
  while (result.end === "done" && !signal.aborted) {
    if (news.isEmpty && !opened.noteWaiting()) break;
    const patience =
      subAgents.background.length > 0
        ? new Promise<never>(() => undefined)
        : sleep(SHELL_PATIENCE_MS, undefined, { ref: false });
    await Promise.race([news.next(), patience, aborted(signal)]);
    const texts = news.take();
    if (texts.length === 0) break;
    for (const text of texts) {
      const { turns } = result;
      result = await chat.send(text, "system", signal);
      result = { ...result, turns: turns + result.turns, durationMs: Math.round(performance.now() - started) };
    }
  }
  return result;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}

interface CommandEnd {
  readonly text: string;
  readonly failed: boolean;
  readonly durationMs: number;
}

/** Writes events in the requested output format. */
class Printer {
  #opened: OpenedChat | undefined;
  #denials: TurnTotals["denials"][number][] = [];
  #stopReason: string | null = null;
  /** Of the turns since the last result. */
  #usage = emptyUsage();
  #written: Promise<void> = Promise.resolve();

  constructor(
    private readonly flags: ChatFlags,
    private readonly io: Io,
    private readonly redactor: Redactor,
  ) {}

  open(opened: OpenedChat): void {
    this.#opened = opened;
  }

  async startTurn(opened: OpenedChat): Promise<void> {
    this.#denials = [];
    this.#stopReason = null;
    if (this.flags.outputFormat === "stream-json") await this.#writeLine(initMessage(opened, this.io));
  }

  hear(event: ChatEvent): void {
    if (event.kind === "recorded" || event.kind === "call-ended") this.#hearLine(event);
    if (event.kind === "call-ended") this.#noteDenial(event);
    if (event.kind === "usage") this.#noteUsage(event);
    if (event.kind === "notice") this.io.stderr(neutralize(`turnlog: ${event.text}\n`));
    if (event.kind === "retry") {
      const { attempt, ofAttempts, delayMs, reason } = event.notice;
      this.io.stderr(
        neutralize(`turnlog: ${reason}; attempt ${attempt + 1} of ${ofAttempts} in ${Math.ceil(delayMs / 1000)} s\n`),
      );
    }
  }

  #hearLine({ line, agent }: Extract<ChatEvent, { kind: "recorded" | "call-ended" }>): void {
    if (agent === null) this.#stopReason = stringAt(line, "message", "stop_reason") ?? this.#stopReason;
    if (this.flags.outputFormat !== "stream-json") return;
    const message = lineMessage(line, agent?.callId ?? null, this.#opened?.chat.sessionId ?? "");
    if (message) void this.#writeLine(message);
  }

  /** What the session has, so that `stats` and the result agree; other requests are part of the cost only. */
  #noteUsage({ usage, isRecorded }: Extract<ChatEvent, { kind: "usage" }>): void {
    const counters = isRecorded ? toUsageCounters(usage) : undefined;
    if (counters) this.#usage = sumUsage([this.#usage, toUsage(counters)]);
  }

  /** Denials are part of the conversation; with text output they also go to stderr. */
  #noteDenial({ call, outcome }: Extract<ChatEvent, { kind: "call-ended" }>): void {
    const reason = String(outcome.content);
    if (!outcome.isError || !reason.startsWith("Permission to use")) return;
    this.#denials.push({ tool_name: call.name, tool_use_id: call.id, tool_input: call.input });
    if (this.flags.outputFormat === "text") this.io.stderr(neutralize(this.redactor.text(`turnlog: ${reason}\n`)));
  }

  async end(result: TurnResult): Promise<void> {
    const opened = this.#opened;
    if (!opened) return;
    await this.#written;
    if (this.flags.outputFormat !== "text") {
      const totals = { denials: this.#denials, stopReason: this.#stopReason, usage: this.#usage };
      this.#usage = emptyUsage();
      return this.#writeLine(resultMessage(result, opened, totals));
    }
    if (result.text !== "") await this.io.stdout(this.#shown(`${result.text}\n`));
    const problem = describeEnd(result);
    if (problem !== undefined) this.io.stderr(neutralize(`turnlog: ${problem}\n`));
  }

  /** Returns whether the command failed. */
  async endCommand({ text, failed, durationMs }: CommandEnd): Promise<boolean> {
    if (this.flags.outputFormat !== "text" && this.#opened) {
      await this.#written;
      const result = { end: failed ? "blocked" : "done", text, turns: 0, error: undefined } as const;
      const totals = { denials: [], stopReason: null, usage: emptyUsage() };
      const message = resultMessage({ ...result, durationMs: Math.round(durationMs) }, this.#opened, totals);
      await this.#writeLine({ ...message, ...(failed ? { errors: [text] } : {}) });
    } else if (failed) this.io.stderr(neutralize(`turnlog: ${text}\n`));
    else if (text !== "") await this.io.stdout(this.#shown(`${text}\n`));
    return failed;
  }

  /** A pipe gets the text unchanged; on a terminal it is neutralized and secrets are masked. */
  #shown(text: string): string {
    return this.io.isTerminal ? neutralize(this.redactor.text(text)) : text;
  }

  #writeLine(message: object): Promise<void> {
    this.#written = this.#written.then(async () => {
      await this.io.stdout(printedLine(message, this.io));
    });
    return this.#written;
  }
}
