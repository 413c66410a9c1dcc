import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { Io } from "./io.js";

/** Lines that a person types. One asks at a time; what comes while nobody asks goes to `onStray`. */
export class Keyboard {
  readonly #lines: Interface;
  #waiting: ((line: string | undefined) => void) | undefined;
  #isClosed = false;

  constructor(io: Io, { onStray, onInterrupt }: { onStray: (line: string) => void; onInterrupt: () => void }) {
    // Never waits: what is typed must not appear behind what is said about it.
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        void io.stdout(chunk);
        done();
      },
    });
    const input = io.stdin();
    const isTerminal = "isTTY" in input && input.isTTY === true;
    this.#lines = createInterface({ input, output, terminal: isTerminal, historySize: 500 });
    this.#lines.on("line", (line) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting) waiting(line);
      else if (line.trim() !== "") onStray(line);
    });
    this.#lines.on("SIGINT", onInterrupt);
    this.#lines.once("close", () => {
      this.#isClosed = true;
      this.#waiting?.(undefined);
    });
  }

  /** Undefined: there will be no more lines. */
  ask(prompt: string): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    this.#lines.setPrompt(prompt);
    this.#lines.prompt();
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Whoever asks gets this answer. */
  answer(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(line);
  }

  close(): void {
    this.#lines.close();
  }
}
