import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Io } from "../io.js";

/** Asks questions on the terminal; answers can also be piped in, line by line. */
export interface Prompter {
  ask(question: string): Promise<string>;
  /** The answer is not echoed. */
  askSecret(question: string): Promise<string>;
  /** Anything but y or yes is a no. */
  confirm(question: string): Promise<boolean>;
  close(): void;
}

export function openPrompter(io: Io): Prompter {
  const input = io.stdin();
  const isTerminal = "isTTY" in input && input.isTTY === true;
  let isHidden = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) io.stderr(String(chunk));
      done();
    },
  });
  const reader = createInterface({ input, terminal: isTerminal, ...(isTerminal ? { output: echo } : {}) });
  const lines = reader[Symbol.asyncIterator]();

  async function nextLine(question: string): Promise<string> {
    io.stderr(question);
    const { value, done } = await lines.next();
    return done ? "" : value.trim();
  }

  return {
    ask: nextLine,
    askSecret: async (question) => {
      isHidden = true;
      try {
        return await nextLine(question);
      } finally {
        isHidden = false;
        io.stderr("\n");
      }
    },
    confirm: async (question) => /^y(es)?$/i.test(await nextLine(`${question} [y/N] `)),
    close: () => {
      reader.close();
      input.destroy();
    },
  };
}
