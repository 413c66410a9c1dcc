import type { ChatOptions, SessionChoice } from "../../agent/chat-options.js";
import type { TurnResult } from "../../agent/conversation/chat.js";
import { type OpenedChat, openChat } from "../../agent/open-chat.js";
import { maskingRedactor } from "../../app/redaction.js";
import { dataFolderOf } from "../../app/settings.js";
import { UserError } from "../../errors.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { formatCost, formatCount, formatDuration, formatTokens } from "../../render/format-values.js";
import { createStyle, type Style } from "../../render/terminal/style.js";
import { parseTaskNotification } from "../../session/prompts/wrappers.js";
import type { Io } from "../io.js";
import { isColoured } from "../terminal/is-coloured.js";
import type { ChatFlags } from "./chat-flags.js";
import { Keyboard } from "./chat-keyboard.js";
import { personAt } from "./chat-person.js";
import { ChatScreen } from "./chat-screen.js";
import { describeEnd } from "./describe-end.js";
import { ChatHistory } from "./prompt-history.js";
import { isSlashCommand, runSlashCommand, type SlashWorld } from "./slash-commands.js";
import { isRecordingOff, lastOfFolder, toChatOptions } from "./to-chat-options.js";

const MAX_PROMPT = 60;
const TICK_MS = 1_000;
const LISTED = "10";
const SHORT_ID = 8;
const NEWS = Symbol("something happened in the background");

/** Runs an interactive chat until the user leaves. */
export async function runInteractiveChat(prompt: string | undefined, flags: ChatFlags, io: Io): Promise<number> {
  return new InteractiveChat(io, flags, createStyle(isColoured(io)), await maskingRedactor(io)).run(prompt);
}

class InteractiveChat {
  readonly #keyboard: Keyboard;
  readonly #screen: ChatScreen;
  readonly #history: ChatHistory;
  #turn: AbortController | undefined;
  #opened: OpenedChat | undefined;
  /** Lines typed outside of a turn, and commands. */
  readonly #typedAhead: string[] = [];
  #isAnswering = false;
  #isLeaving = false;
  #interruptsWhileIdle = 0;

  constructor(
    private readonly io: Io,
    private readonly flags: ChatFlags,
    private readonly style: Style,
    redactor: Redactor,
  ) {
    this.#history = new ChatHistory(dataFolderOf(io), io.cwd);
    this.#keyboard = new Keyboard(io, {
      prompt: style.bold("> "),
      history: this.#history.read(),
      onStray: (line) => this.#onStray(line),
      onInterrupt: () => this.#onInterrupt(),
      onTyping: () => this.#screen.breakLine(),
    });
    this.#screen = new ChatScreen(this.#keyboard, { style, redactor, folder: io.cwd });
  }

  async run(first: string | undefined): Promise<number> {
    const ignore = this.io.onInterrupt(() => this.#leave());
    try {
      await this.#open(await this.#options());
      this.#greet();
      this.#showResumed();
      if (first !== undefined) await this.#take(first);
      while (!this.#isLeaving) {
        const line = await this.#nextLine();
        if (line === undefined) break;
        await this.#take(line);
      }
      this.#showHowToResume();
      return 0;
    } finally {
      ignore();
      await this.#close();
      this.#keyboard.close();
    }
  }

  #greet(): void {
    const { modelName, desk } = this.#chat;
    const mode = desk.mode === "default" ? "" : `, permission mode ${desk.mode}`;
    const where = `${modelName} in ${this.io.cwd}${mode}`;
    this.#screen.say(`${where}; /help shows the commands, Ctrl-C interrupts`, this.style.dim);
  }

  #showResumed(): void {
    const { chat, resumed } = this.#chat;
    if (!resumed) return;
    const { turns, lastPrompt } = resumed;
    const last = lastPrompt === "" ? "" : `; last prompt: ${oneLine(lastPrompt, MAX_PROMPT)}`;
    this.#screen.say(`resumed ${chat.sessionId} (${formatCount(turns, "turn")})${last}`, this.style.dim);
  }

  get #chat(): OpenedChat {
    if (!this.#opened) throw new Error("no chat is open");
    return this.#opened;
  }

  /** Lines typed meanwhile first, then background notifications, else a new line. */
  async #nextLine(): Promise<string | undefined> {
    const { chat, news } = this.#chat;
    const waiting = this.#typedAhead.shift() ?? chat.takeQueued().join("\n");
    if (waiting !== "") {
      this.#screen.gap();
      this.#screen.say(`> ${waiting}`, this.style.dim);
      return waiting;
    }
    const texts = news.take();
    for (const text of texts) await this.#runNews(text);
    if (texts.length > 0) return this.#nextLine();
    this.#screen.gap();
    const line = await Promise.race([this.#keyboard.next(), news.next().then((): typeof NEWS => NEWS)]);
    if (line === NEWS) {
      this.#keyboard.withdraw();
      return this.#nextLine();
    }
    if (line !== undefined) this.#remember(line);
    return line;
  }

  #remember(line: string): void {
    const text = line.trim();
    if (text === "") return;
    if (!isRecordingOff(this.io.env, true)) this.#history.add(text);
    this.#keyboard.remember(text);
  }

  async #take(line: string): Promise<void> {
    this.#interruptsWhileIdle = 0;
    const text = line.trim();
    if (text === "") return;
    try {
      if (isSlashCommand(text)) await this.#runCommand(text);
      else await this.#run(text, "typed");
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#screen.say(`${error.message}${error.hint ? ` (${error.hint})` : ""}`, this.style.red);
    }
  }

  async #runCommand(text: string): Promise<void> {
    const terminal = {
      say: (said: string) => this.#screen.say(said),
      leave: () => this.#leave(),
      reopen: (session: SessionChoice) => this.#reopen(session),
      choose: (name: string) => this.#choose(name),
      list: () => this.#list(),
    };
    const withSignal: SlashWorld["withSignal"] = (action) => this.#interruptible(action);
    const output = await runSlashCommand(text, { opened: this.#chat, terminal, withSignal });
    if (output !== undefined) this.#screen.say(output);
  }

  /** `last` means the session before this one. */
  async #choose(name: string): Promise<SessionChoice> {
    const { configRoot, session } = await this.#options({ ...withoutSession(this.flags), resume: name });
    if (name !== "last") return session;
    return { kind: "resume", path: lastOfFolder(configRoot, this.io, this.#chat.log.path), isFork: false };
  }

  async #list(): Promise<void> {
    const { writeList } = await import("../report/print-list.js");
    const { configDir } = this.flags;
    const roots = configDir === undefined ? {} : { configDir };
    await writeList({ ...roots, project: this.io.cwd, limit: LISTED, pager: false }, this.io);
    this.#screen.say("/resume <id> resumes one of them; the start of an id is enough", this.style.dim);
  }

  async #run(text: string, source: "typed" | "system"): Promise<void> {
    this.#isAnswering = true;
    const result = await this.#interruptible((signal) => this.#chat.chat.send(text, source, signal)).finally(() => {
      this.#isAnswering = false;
    });
    this.#screen.endLine();
    this.#showEnd(result);
  }

  async #runNews(text: string): Promise<void> {
    if (this.#isLeaving) return;
    this.#screen.say(`● ${parseTaskNotification(text).summary ?? "a background task ended"}`, this.style.cyan);
    await this.#run(text, "system");
  }

  async #interruptible<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#turn = new AbortController();
    this.#screen.startTurn();
    const ticking = setInterval(() => this.#screen.tick(), TICK_MS);
    try {
      return await action(this.#turn.signal);
    } finally {
      clearInterval(ticking);
      this.#turn = undefined;
    }
  }

  #showEnd(result: TurnResult): void {
    const { spending, chat } = this.#chat;
    const problem = describeEnd(result);
    if (problem !== undefined) this.#screen.say(problem, result.error ? this.style.red : this.style.yellow);
    const facts = [
      formatDuration(result.durationMs),
      ...(spending.cost === null ? [] : [`${formatCost(spending.cost)} so far`]),
      ...(result.end === "api-error" || result.end === "interrupted"
        ? []
        : [`context ${formatTokens(chat.contextTokens)} tokens`]),
    ];
    this.#screen.say(facts.join(" · "), this.style.dim);
  }

  #onStray(line: string): void {
    this.#remember(line);
    const isForTurn = this.#isAnswering && !isSlashCommand(line.trim());
    if (isForTurn) this.#chat.chat.enqueue(line);
    else this.#typedAhead.push(line);
    const note = isForTurn ? "(queued)" : "(queued until this is done)";
    if (this.#keyboard.hasQuestion) this.#keyboard.write(`${this.style.dim(note)}\n`);
    else this.#screen.mention(note, this.style.dim);
  }

  /** Interrupts the turn, else clears the typed text; twice without either leaves. */
  #onInterrupt(): void {
    if (this.#turn && !this.#turn.signal.aborted) {
      this.#turn.abort();
      this.#keyboard.cancel();
      return;
    }
    if (!this.#turn && this.#keyboard.hasQuestion) {
      this.#keyboard.cancel();
      return;
    }
    if (!this.#turn && this.#keyboard.hasText) {
      this.#interruptsWhileIdle = 0;
      this.#keyboard.interject(() => this.#screen.say("(input cleared)", this.style.dim));
      return;
    }
    this.#interruptsWhileIdle += 1;
    if (this.#interruptsWhileIdle > 1 || this.#turn) this.#leave();
    else this.#keyboard.interject(() => this.#screen.say("Ctrl-C again, or /exit, to leave", this.style.dim));
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#turn?.abort();
    this.#keyboard.close();
  }

  #options(flags: ChatFlags = this.flags): Promise<ChatOptions> {
    const person = personAt(() => this.#keyboard, this.#screen);
    return toChatOptions(flags, this.io, { listen: (event) => this.#screen.hear(event), person });
  }

  async #open(options: ChatOptions): Promise<void> {
    this.#opened = await openChat(options);
  }

  /** Closes the old session only after the new one is open, so that an error keeps the old one. */
  async #reopen(session: ChatOptions["session"]): Promise<void> {
    const { modelName, desk, log } = this.#chat;
    if (session.kind === "resume" && session.path === log.path)
      throw new UserError("usage", "this session is already open", "/clear starts a new one");
    const options = await this.#options(withoutSession(this.flags));
    const next = await openChat({ ...options, session, modelName, mode: desk.mode });
    await this.#close();
    this.#opened = next;
    this.#showResumed();
  }

  #showHowToResume(): void {
    const { log } = this.#chat;
    if (log.leaf === null) return;
    const command = `turnlog chat -r ${log.sessionId.slice(0, SHORT_ID)}`;
    void this.io.stdout(`${this.style.dim(`to resume: ${command}`)}\n`);
  }

  async #close(): Promise<void> {
    const isWritten = (await this.#opened?.chat.close()) ?? true;
    this.#opened = undefined;
    if (!isWritten) this.io.stderr("turnlog: the last records of the session could not be written\n");
  }
}

/** Options that choose a session apply to the first one only. */
function withoutSession(flags: ChatFlags): ChatFlags {
  const {
    resume: _resume,
    continue: _continue,
    forkSession: _fork,
    resumeSessionAt: _at,
    sessionId: _id,
    ...rest
  } = flags;
  return rest;
}

/** The first non-empty line, shortened. */
export function oneLine(text: string, length: number): string {
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "");
  const cut = first.length > length ? `${first.slice(0, length)}…` : first;
  return more.length > 0 ? `${cut} (+${formatCount(more.length, "line")})` : cut;
}
