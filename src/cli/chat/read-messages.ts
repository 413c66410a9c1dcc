import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Content } from "../../agent/conversation/chat.js";
import { UserError } from "../../errors.js";
import { isObject, stringAt, tryParseJson, valueAt } from "../../format/json.js";
import type { ApiBlock } from "../../format/record/api-message.js";
import type { Io } from "../io.js";
import type { ChatFlags } from "./chat-flags.js";

/** The prompts of a run without a terminal: the argument, piped text, or one message per line; none after `signal`. */
export async function readMessages(
  prompt: string | undefined,
  flags: ChatFlags,
  io: Io,
  signal: AbortSignal,
): Promise<AsyncIterable<Content>> {
  if (flags.inputFormat === "stream-json") {
    if (prompt !== undefined)
      throw new UserError("usage", "with --input-format stream-json the prompts are piped in", "omit the prompt");
    return readLines(io, signal);
  }
  const piped = prompt === undefined ? await readAll(io, signal) : await readBeside(io, signal);
  if (signal.aborted) return none();
  const text = [prompt, piped].filter((part) => part !== undefined && part.trim() !== "").join("\n\n");
  if (text === "") throw new UserError("usage", "no prompt", 'for example turnlog chat -p "what does this do?"');
  return single(text);
}

async function* single(text: string): AsyncGenerator<Content> {
  yield text;
}

async function* none(): AsyncGenerator<Content> {}

async function readAll(io: Io, signal: AbortSignal): Promise<string> {
  const stream = io.stdin();
  return "isTTY" in stream && stream.isTTY ? "" : readToEnd(stream, signal);
}

function readBeside(io: Io, signal: AbortSignal): Promise<string> {
  const onSilence = (patienceMs: number) =>
    io.stderr(
      `turnlog: no input from the pipe within ${patienceMs / 1000} s, continuing without it; < /dev/null skips the wait\n`,
    );
  return readPipedPrompt(io.stdin(), { signal, onSilence });
}

async function* readLines(io: Io, signal: AbortSignal): AsyncGenerator<Content> {
  const input = io.stdin();
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal });
  signal.addEventListener("abort", () => input.destroy(), { once: true });
  for await (const line of lines) {
    if (signal.aborted) return;
    if (line.trim() !== "") yield toContent(line);
  }
}

function toContent(line: string): Content {
  const json = tryParseJson(line);
  const content = valueAt(json, "message", "content");
  const isMessage = stringAt(json, "type") === "user" && (isText(content) || isBlocks(content));
  if (!isMessage) {
    const hint = 'expected one message per line: {"type":"user","message":{"role":"user","content":"…"}}';
    throw new UserError("usage", `not a message: ${line.slice(0, 100)}`, hint);
  }
  return content as Content;
}

function isText(content: unknown): content is string {
  return typeof content === "string" && content.trim() !== "";
}

const PROMPT_BLOCKS: ReadonlySet<unknown> = new Set(["text", "image", "document"]);

/** Content that the API rejects must not get into the session. */
function isBlocks(content: unknown): content is readonly ApiBlock[] {
  if (!Array.isArray(content) || content.length === 0) return false;
  return content.every(
    (block) =>
      isObject(block) && PROMPT_BLOCKS.has(block["type"]) && (block["type"] !== "text" || isText(block["text"])),
  );
}

/** Time for a slow command to start writing; a pipe that stays silent is not waited for. */
const PATIENCE_MS = 3_000;

export interface PipeOptions {
  readonly signal: AbortSignal;
  readonly patienceMs?: number;
  /** Nothing arrived in time. */
  onSilence(patienceMs: number): void;
}

/** All text of a pipe, once its first byte has arrived. */
export async function readPipedPrompt(stream: Readable, options: PipeOptions): Promise<string> {
  const { signal, patienceMs = PATIENCE_MS, onSilence } = options;
  if ("isTTY" in stream && stream.isTTY) return "";
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const hasBegun = await Promise.race([
    once(stream, "readable", { signal: limit }).then(() => true),
    once(stream, "end", { signal: limit }).then(() => true),
  ]).catch(() => false);
  if (!hasBegun) {
    if (!signal.aborted) onSilence(patienceMs);
    stream.destroy();
    return "";
  }
  return readToEnd(stream, signal);
}

/** The text up to an interruption. */
async function readToEnd(stream: Readable, signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  const stop = () => void stream.destroy();
  signal.addEventListener("abort", stop);
  try {
    for await (const piece of stream) pieces.push(Buffer.from(piece as Uint8Array));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(pieces).toString();
}
