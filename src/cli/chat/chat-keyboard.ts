import { createInterface, type Interface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Io } from "../io.js";
import { TerminalKeys } from "./terminal-keys.js";

const PASTE_MARKED = "\u001b[?2004h";
const PASTE_UNMARKED = "\u001b[?2004l";
const HISTORY_SIZE = 500;

export interface KeyboardOptions {
  /** The prompt for a new line. */
  readonly prompt: string;
  /** Earlier prompts, newest first. */
  readonly history: readonly string[];
  /** A line typed while nothing waits for one. */
  onStray(line: string): void;
  onInterrupt(): void;
  /** The first key typed while nothing waits for a line. */
  onTyping(): void;
}

interface Asker {
  readonly isQuestion: boolean;
  readonly prompt: string;
  takes(line: string): boolean;
  answer(line: string | undefined): void;
}

/** Lines typed by the user. A question interrupts a pending read; lines that answer nothing go to `onStray`. */
export class Keyboard {
  readonly #lines: Interface;
  #askers: readonly Asker[] = [];
  #history: readonly string[];
  /** The history of the arrow keys. */
  #reachable: string[] = [];
  #isTyping = false;
  #hasHint = false;
  /** While a question is open, other output is collected in `#heldBack`. */
  #isQuiet = false;
  #heldBack = "";
  #isClosed = false;
  #isPasting = false;
  /** Lines of a pasted text; Enter sends all of them. */
  #pasted: string[] = [];

  constructor(
    private readonly io: Io,
    private readonly options: KeyboardOptions,
  ) {
    this.#history = options.history;
    const input = io.stdin();
    const isTerminal = "isTTY" in input && input.isTTY === true;
    if (isTerminal) void io.stdout(PASTE_MARKED);
    this.#lines = createInterface({
      input: isTerminal ? this.#keysOf(input) : input,
      output: this.#createOutput(isTerminal),
      terminal: isTerminal,
      prompt: options.prompt,
      history: [...options.history],
      historySize: HISTORY_SIZE,
    });
    this.#lines.on("history", (all) => this.#keepHistory(all)); // answers are not prompts
    this.#lines.on("line", (line) => this.#onLine(line));
    this.#lines.on("SIGINT", options.onInterrupt);
    this.#lines.on("SIGCONT", () => {
      void io.stdout(PASTE_MARKED);
      this.#lines.resume(); // readline pauses after SIGCONT
    });
    this.#lines.on("error", () => setImmediate(() => this.close())); // the terminal was closed
    this.#lines.once("close", () => this.#onClose(isTerminal));
  }

  get columns(): number {
    return this.io.columns;
  }

  /** Something was typed or pasted but not sent. */
  get hasText(): boolean {
    return this.#lines.line !== "" || this.#pasted.length > 0;
  }

  get hasQuestion(): boolean {
    return this.#askers.some(({ isQuestion }) => isQuestion);
  }

  get isBusy(): boolean {
    return !this.#isClosed && (this.#isTyping || this.#askers.length > 0); // a prompt after the end would read on
  }

  /** Writes above what is being typed. */
  write(text: string): void {
    if (!this.#lines.terminal || !this.isBusy) return void this.io.stdout(this.#withoutHint() + text);
    const { rows } = this.#lines.getCursorPos();
    void this.io.stdout(`${rows > 0 ? `\u001b[${rows}A` : ""}\r\u001b[J${text}`);
    this.#noteRow(0);
    this.#isTyping = this.#isTyping && this.#lines.line !== "";
    if (this.isBusy) this.#lines.prompt(true);
  }

  /** The same, but not between a question and its answer. */
  tell(text: string): void {
    if (this.#isQuiet) this.#heldBack += text;
    else this.write(text);
  }

  /** A temporary row, removed when something is written or typed; terminals only. */
  hint(text: string): void {
    if (!this.#lines.terminal || this.isBusy || this.#isClosed) return;
    void this.io.stdout(this.#withoutHint() + text);
    this.#hasHint = true;
  }

  /** Adds a line to the history of the arrow keys. */
  remember(text: string): void {
    if (text !== this.#history[0]) this.#history = [text, ...this.#history].slice(0, HISTORY_SIZE);
    this.#keepHistory(this.#reachable);
  }

  /** The next prompt. Undefined: the input has ended. */
  next(): Promise<string | undefined> {
    return this.#ask({ isQuestion: false, prompt: this.options.prompt, takes: () => true });
  }

  /** Waits for a line that answers the question; other lines are handled as usual. */
  question(prompt: string, takes: (line: string) => boolean): Promise<string | undefined> {
    return this.#ask({ isQuestion: true, prompt, takes });
  }

  /** Stops waiting for the next line; typed text stays. */
  withdraw(): void {
    this.#askers = this.#askers.filter(({ isQuestion }) => isQuestion);
    this.#isTyping = true;
    this.#lines.setPrompt(this.#prompt);
    this.write("");
  }

  /** Ends open questions without an answer. */
  cancel(): void {
    const open = this.#askers.filter(({ isQuestion }) => isQuestion);
    if (open.length === 0) return;
    this.#askers = this.#askers.filter(({ isQuestion }) => !isQuestion);
    void this.io.stdout("\n");
    this.#promptAgain();
    this.#flushHeldBack();
    for (const { answer } of open) answer(undefined);
  }

  /** Shows a message at the prompt and clears the typed text. */
  interject(say: () => void): void {
    this.#pasted = [];
    for (const name of ["e", "u"]) this.#lines.write(null, { ctrl: true, name });
    say();
  }

  close(): void {
    this.#lines.close();
  }

  get #prompt(): string {
    return this.#askers.at(-1)?.prompt ?? this.options.prompt;
  }

  #ask(asker: Omit<Asker, "answer">): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((answer) => {
      void this.io.stdout(this.#withoutHint());
      const added = { ...asker, answer };
      this.#askers = asker.isQuestion ? [...this.#askers, added] : [added, ...this.#askers];
      this.#isQuiet ||= asker.isQuestion;
      this.#promptAgain();
    });
  }

  /** Typed text stays. */
  #promptAgain(): void {
    this.#lines.setPrompt(this.#prompt);
    if (this.#askers.length > 0) this.#lines.prompt(true);
  }

  #flushHeldBack(): void {
    const heldBack = this.#heldBack;
    this.#heldBack = "";
    this.#isQuiet = false;
    if (heldBack !== "") this.write(heldBack);
  }

  #withoutHint(): string {
    const hadHint = this.#hasHint;
    this.#hasHint = false;
    return hadHint ? "\r\u001b[K" : "";
  }

  #keepHistory(reachable: string[]): void {
    this.#reachable = reachable;
    reachable.splice(0, reachable.length, ...this.#history);
  }

  #onLine(line: string): void {
    this.#pasted.push(line);
    if (this.#isPasting) return;
    const text = this.#pasted.splice(0).join("\n").replaceAll("\r", "\n"); // so that Node 24 restores several lines
    this.#isTyping = false;
    const asker = this.#askers.findLast(({ takes }) => takes(text));
    this.#askers = this.#askers.filter((other) => other !== asker);
    this.#promptAgain();
    this.#flushHeldBack();
    if (asker) asker.answer(text);
    else if (text.trim() !== "") this.options.onStray(text);
  }

  #onClose(isTerminal: boolean): void {
    this.#isClosed = true;
    if (isTerminal) void this.io.stdout(PASTE_UNMARKED);
    if (this.#askers.length > 0) void this.io.stdout("\n"); // later output must not follow the prompt
    for (const { answer } of this.#askers) answer(undefined);
  }

  /** Does not wait for stdout: output must keep the order of typing. */
  #createOutput(isTerminal: boolean): Writable {
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (isTerminal && !this.isBusy && this.#lines.line !== "") {
          this.options.onTyping();
          void this.io.stdout(this.#withoutHint() + this.#lines.getPrompt());
          this.#isTyping = true;
        }
        void this.io.stdout(chunk);
        done();
      },
    });
    // Without it, readline edits lines wider than the terminal as if they did not wrap.
    return Object.defineProperty(output, "columns", { get: () => this.io.columns });
  }

  /** The cursor row that readline assumes, counted from the prompt. */
  #noteRow(row: number): void {
    (this.#lines as { prevRows?: number }).prevRows = row;
  }

  #keysOf(terminal: Readable): TerminalKeys {
    return new TerminalKeys(terminal, {
      onText: (text) => this.#lines.write(text),
      onPaste: (text) => {
        this.#isPasting = true;
        this.#lines.write(text);
        this.#isPasting = false;
      },
    });
  }
}
