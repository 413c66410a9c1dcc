import { createInterface, type Interface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Io } from "../../app/io.js";
import { TerminalKeys } from "./terminal-keys.js";

const PASTE_MARKED = "\u001b[?2004h";
const PASTE_UNMARKED = "\u001b[?2004l";
const HISTORY_SIZE = 500;

export interface KeyboardOptions {
  /** What stands before what is typed, where nothing is asked. */
  readonly prompt: string;
  /** What was typed before, the newest first. */
  readonly history: readonly string[];
  /** A line that nobody asked for. */
  onStray(line: string): void;
  onInterrupt(): void;
  /** The first key while nobody asks. */
  onTyping(): void;
}

interface Asker {
  readonly isQuestion: boolean;
  readonly prompt: string;
  takes(line: string): boolean;
  answer(line: string | undefined): void;
}

/** Lines that a person types. A question comes before what is asked already; what answers nothing goes to `onStray`. */
export class Keyboard {
  readonly #lines: Interface;
  #askers: readonly Asker[] = [];
  #history: readonly string[];
  /** The list that the arrow keys go through. */
  #reachable: string[] = [];
  #isTyping = false;
  #hasHint = false;
  /** A question waits for its answer, and this for both. */
  #isQuiet = false;
  #untold = "";
  #isClosed = false;
  #isPasting = false;
  /** Lines of one text that came by pasting; Enter sends all. */
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
    this.#lines.on("history", (all) => this.#keepHistory(all)); // answers are no prompts
    this.#lines.on("line", (line) => this.#onLine(line));
    this.#lines.on("SIGINT", options.onInterrupt);
    this.#lines.on("SIGCONT", () => {
      void io.stdout(PASTE_MARKED);
      this.#lines.resume(); // readline pauses when the process is taken up again
    });
    this.#lines.on("error", () => setImmediate(() => this.close())); // the terminal went away
    this.#lines.once("close", () => this.#onClose(isTerminal));
  }

  get columns(): number {
    return this.io.columns;
  }

  /** Something was typed or pasted that nobody got yet. */
  get hasText(): boolean {
    return this.#lines.line !== "" || this.#pasted.length > 0;
  }

  get hasQuestion(): boolean {
    return this.#askers.some(({ isQuestion }) => isQuestion);
  }

  get isBusy(): boolean {
    return this.#isTyping || this.#askers.length > 0;
  }

  /** Above what is being typed, where there is something. */
  write(text: string): void {
    if (!this.#lines.terminal || !this.isBusy) return void this.io.stdout(this.#withoutHint() + text);
    const { rows } = this.#lines.getCursorPos();
    void this.io.stdout(`${rows > 0 ? `\u001b[${rows}A` : ""}\r\u001b[J${text}`);
    this.#noteRow(0);
    this.#isTyping = this.#isTyping && this.#lines.line !== "";
    if (this.isBusy) this.#lines.prompt(true);
  }

  /** The same, but not between a question and its answer, unless somebody would rather talk about something else. */
  tell(text: string): void {
    if (this.#isQuiet) this.#untold += text;
    else this.write(text);
  }

  /** A row that is there until something is written or typed; only a terminal can take it away again. */
  hint(text: string): void {
    if (!this.#lines.terminal || this.isBusy || this.#isClosed) return;
    void this.io.stdout(this.#withoutHint() + text);
    this.#hasHint = true;
  }

  /** The arrow keys bring it back from now on. */
  remember(text: string): void {
    if (text !== this.#history[0]) this.#history = [text, ...this.#history].slice(0, HISTORY_SIZE);
    this.#keepHistory(this.#reachable);
  }

  /** The next line of the talk. Undefined: nobody answers. */
  next(): Promise<string | undefined> {
    return this.#ask({ isQuestion: false, prompt: this.options.prompt, takes: () => true });
  }

  /** A line that answers the question; every other one goes where it would go without it. */
  question(prompt: string, takes: (line: string) => boolean): Promise<string | undefined> {
    return this.#ask({ isQuestion: true, prompt, takes });
  }

  /** Nobody waits for the next line any more; what was typed so far stays. */
  withdraw(): void {
    this.#askers = this.#askers.filter(({ isQuestion }) => isQuestion);
    this.#isTyping = true;
    this.#lines.setPrompt(this.#prompt);
    this.write("");
  }

  /** Questions get no answer. */
  cancel(): void {
    const open = this.#askers.filter(({ isQuestion }) => isQuestion);
    if (open.length === 0) return;
    this.#askers = this.#askers.filter(({ isQuestion }) => !isQuestion);
    void this.io.stdout("\n");
    this.#promptAgain();
    this.#speakAgain();
    for (const { answer } of open) answer(undefined);
  }

  /** Says something to a person who is asked, and takes away what was typed so far. */
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

  /** What was typed meanwhile stays. */
  #promptAgain(): void {
    this.#lines.setPrompt(this.#prompt);
    if (this.#askers.length > 0) this.#lines.prompt(true);
  }

  #speakAgain(): void {
    const untold = this.#untold;
    this.#untold = "";
    this.#isQuiet = false;
    if (untold !== "") this.write(untold);
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
    const text = this.#pasted.splice(0).join("\n").replaceAll("\r", "\n"); // so Node 24 brings back several lines
    this.#isTyping = false;
    const asker = this.#askers.findLast(({ takes }) => takes(text));
    this.#askers = this.#askers.filter((other) => other !== asker);
    this.#promptAgain();
    this.#speakAgain();
    if (asker) asker.answer(text);
    else if (text.trim() !== "") this.options.onStray(text);
  }

  #onClose(isTerminal: boolean): void {
    this.#isClosed = true;
    if (isTerminal) void this.io.stdout(PASTE_UNMARKED);
    if (this.#askers.length > 0) void this.io.stdout("\n"); // whatever comes next does not stand behind the prompt
    for (const { answer } of this.#askers) answer(undefined);
  }

  /** Never waits: what is typed must not appear behind what is said about it. */
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
    // Without it, lines that are wider than the terminal are edited as if it had no edge.
    return Object.defineProperty(output, "columns", { get: () => this.io.columns });
  }

  /** The row of the cursor, counted from the prompt, in which readline believes to be. */
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
