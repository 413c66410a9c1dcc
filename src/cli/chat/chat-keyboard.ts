import { createInterface, type Interface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Io } from "../../app/io.js";

const PASTE_MARKED = "\u001b[?2004h";
const PASTE_UNMARKED = "\u001b[?2004l";

export interface KeyboardOptions {
  /** What was typed before, the newest first. */
  readonly history: string[];
  onStray(line: string): void;
  onInterrupt(): void;
  /** The first key while nobody asks. */
  onTyping(): void;
}

interface Asked {
  readonly prompt: string;
  readonly answer: (line: string | undefined) => void;
}

/** Lines that a person types. One question is shown at a time; what comes while nobody asks goes to `onStray`. */
export class Keyboard {
  readonly #lines: Interface;
  #questions: Asked[] = [];
  /** Waits behind the questions, which somebody at work in the background may have, too. */
  #next: Asked | undefined;
  #isTyping = false;
  #isClosed = false;
  #isPasting = false;
  /** Lines of one text that came by pasting; Enter sends all. */
  #pasted: string[] = [];

  constructor(
    private readonly io: Io,
    { history, onStray, onInterrupt, onTyping }: KeyboardOptions,
  ) {
    // Never waits: what is typed must not appear behind what is said about it.
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const isFirstKey = isTerminal && !this.#asked && !this.#isTyping && this.#lines.line !== "";
        if (isFirstKey) {
          onTyping();
          void io.stdout(this.#lines.getPrompt());
          this.#isTyping = true;
        }
        void io.stdout(chunk);
        done();
      },
    });
    const input = io.stdin();
    const isTerminal = "isTTY" in input && input.isTTY === true;
    this.#lines = createInterface({ input, output, terminal: isTerminal, history, historySize: 500 });
    this.#lines.on("line", (line) => {
      this.#pasted.push(line);
      if (this.#isPasting) return;
      const text = this.#pasted.splice(0).join("\n");
      this.#isTyping = false;
      const asked = this.#take();
      if (asked) asked.answer(text);
      else if (text.trim() !== "") onStray(text);
      this.#show();
    });
    if (isTerminal) this.#noticePasting(input);
    this.#lines.on("SIGINT", onInterrupt);
    this.#lines.on("error", () => setImmediate(() => this.close())); // the terminal went away
    this.#lines.once("close", () => {
      this.#isClosed = true;
      if (isTerminal) void io.stdout(PASTE_UNMARKED);
      if (this.#asked) void io.stdout("\n"); // whatever comes next on the terminal does not stand behind the prompt
      for (let asked = this.#take(); asked; asked = this.#take()) asked.answer(undefined);
    });
  }

  /** Terminals say where a pasted text begins and ends, when they are asked to. */
  #noticePasting(input: Readable): void {
    void this.io.stdout(PASTE_MARKED);
    input.on("keypress", (_, key: { readonly name?: string } | undefined) => {
      if (key?.name === "paste-start") this.#isPasting = true;
      if (key?.name === "paste-end") this.#isPasting = false;
    });
  }

  get columns(): number {
    return this.io.columns;
  }

  /** Something was typed or pasted that nobody got yet. */
  get hasText(): boolean {
    return this.#lines.line !== "" || this.#pasted.length > 0;
  }

  get isBusy(): boolean {
    return this.#isTyping || this.#asked !== undefined;
  }

  /** Above what is being typed, where there is something. */
  write(text: string): void {
    if (!this.#lines.terminal || !this.isBusy) return void this.io.stdout(text);
    const { rows } = this.#lines.getCursorPos();
    void this.io.stdout(`${rows > 0 ? `\u001b[${rows}A` : ""}\r\u001b[J${text}`);
    this.#isTyping = this.#isTyping && this.#lines.line !== "";
    if (this.isBusy) this.#lines.prompt(true);
  }

  /** Undefined: nobody answers. */
  ask(prompt: string): Promise<string | undefined> {
    return this.#wait(prompt, (question) => this.#questions.push(question));
  }

  /** For what is to be done next; whoever has a question meanwhile goes first. */
  askForNext(prompt: string): Promise<string | undefined> {
    return this.#wait(prompt, (next) => {
      this.#next = next;
    });
  }

  /** Nobody asks for the next line any more; what was typed so far stays. */
  withdraw(): void {
    if (!this.#next) return;
    this.#next = undefined;
    if (this.#asked) return;
    this.#isTyping = true;
    this.write("");
  }

  /** Whoever has a question gets no answer. */
  cancel(): void {
    if (this.#questions.length === 0) return;
    void this.io.stdout("\n");
    for (const { answer } of this.#questions.splice(0)) answer(undefined);
  }

  /** Says something to a person who is asked, and takes away what was typed so far. */
  interject(say: () => void): void {
    this.#pasted = [];
    this.#lines.write(null, { ctrl: true, name: "u" });
    say();
  }

  close(): void {
    this.#lines.close();
  }

  get #asked(): Asked | undefined {
    return this.#questions[0] ?? this.#next;
  }

  #take(): Asked | undefined {
    const question = this.#questions.shift();
    if (question) return question;
    const next = this.#next;
    this.#next = undefined;
    return next;
  }

  #wait(prompt: string, keep: (asked: Asked) => void): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((answer) => {
      keep({ prompt, answer });
      this.#show();
    });
  }

  #show(): void {
    if (!this.#asked || this.#isClosed) return;
    this.#lines.setPrompt(this.#asked.prompt);
    this.#lines.prompt(true); // what was typed meanwhile stays
  }
}
