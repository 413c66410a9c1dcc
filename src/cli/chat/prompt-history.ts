import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { readIfPresent } from "../../errors.js";
import { stringAt, tryParseJson } from "../../format/json.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { ensureDataDir } from "../../store/data-dir.js";

const MAX_PROMPTS = 500;
const MAX_BYTES = 1024 * 1024;

/** Prompts typed in a folder, in this and earlier runs. The file is readable by its owner only. */
export class ChatHistory {
  readonly #file: string;

  constructor(
    dataDir: string,
    private readonly project: string,
  ) {
    this.#file = join(ensureDataDir(dataDir), "chat-history.jsonl");
  }

  /** Newest first. */
  read(): string[] {
    const lines = (readIfPresent(this.#file) ?? "").split("\n");
    const prompts = lines.flatMap((line) => {
      const entry = tryParseJson(line);
      const text = stringAt(entry, "project") === this.project ? stringAt(entry, "prompt") : undefined;
      return text ?? [];
    });
    return prompts.slice(-MAX_PROMPTS).reverse();
  }

  add(prompt: string): void {
    const line = `${JSON.stringify({ prompt, project: this.project })}\n`;
    appendFileSync(this.#file, line, { mode: 0o600 });
    const text = readIfPresent(this.#file) ?? "";
    if (text.length > MAX_BYTES) atomicWrite(this.#file, text.slice(text.indexOf("\n", text.length >> 1) + 1));
  }
}
