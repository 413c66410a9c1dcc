import { createInterface } from "node:readline";
import type { Content } from "../../agent/chat.js";
import type { Io } from "../../app/io.js";
import { UserError } from "../../errors.js";
import type { ApiBlock } from "../../format/api-message.js";
import { isObject, stringAt, tryParseJson, valueAt } from "../../format/json.js";
import type { ChatFlags } from "./chat-flags.js";
import { readPipedPrompt, readToEnd } from "./read-piped-prompt.js";

/** The prompts of a run without a terminal: the argument, what is piped in, or a message in each line; none after `signal`. */
export async function readMessages(
  prompt: string | undefined,
  flags: ChatFlags,
  io: Io,
  signal: AbortSignal,
): Promise<AsyncIterable<Content>> {
  if (flags.inputFormat === "stream-json") {
    if (prompt !== undefined)
      throw new UserError("usage", "with --input-format stream-json the prompts are piped in", "leave the prompt away");
    return readLines(io, signal);
  }
  const piped = prompt === undefined ? await readAll(io, signal) : await readBeside(io, signal);
  if (signal.aborted) return none();
  const text = [prompt, piped].filter((part) => part !== undefined && part.trim() !== "").join("\n\n");
  if (text === "") throw new UserError("usage", "no prompt", 'for example turnlog chat -p "what does this do?"');
  return once(text);
}

async function* once(text: string): AsyncGenerator<Content> {
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
      `turnlog: nothing came through the pipe within ${patienceMs / 1000} s, going on without it; < /dev/null spares the wait\n`,
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
    const hint = '{"type":"user","message":{"role":"user","content":"…"}} is one line of it';
    throw new UserError("usage", `not a message: ${line.slice(0, 100)}`, hint);
  }
  return content as Content;
}

function isText(content: unknown): content is string {
  return typeof content === "string" && content.trim() !== "";
}

const PROMPT_BLOCKS: ReadonlySet<unknown> = new Set(["text", "image", "document"]);

/** What the API would refuse would stand in the session for ever. */
function isBlocks(content: unknown): content is readonly ApiBlock[] {
  if (!Array.isArray(content) || content.length === 0) return false;
  return content.every(
    (block) =>
      isObject(block) && PROMPT_BLOCKS.has(block["type"]) && (block["type"] !== "text" || isText(block["text"])),
  );
}
