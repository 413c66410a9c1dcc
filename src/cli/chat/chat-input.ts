import { createInterface } from "node:readline";
import type { Content } from "../../agent/chat.js";
import type { Io } from "../../app/io.js";
import { UserError } from "../../errors.js";
import type { ApiBlock } from "../../format/api-message.js";
import { isObject, stringAt, tryParseJson, valueAt } from "../../format/json.js";
import { readPiped } from "../read-piped.js";
import type { ChatFlags } from "./chat-flags.js";

/** The prompts of a run without a terminal: the argument, what is piped in, or a message in each line. */
export async function readMessages(
  prompt: string | undefined,
  flags: ChatFlags,
  io: Io,
): Promise<AsyncIterable<Content>> {
  if (flags.inputFormat === "stream-json") {
    if (prompt !== undefined)
      throw new UserError("usage", "with --input-format stream-json the prompts are piped in", "leave the prompt away");
    return readLines(io);
  }
  const piped = prompt === undefined ? await readAll(io) : await readPiped(io.stdin());
  const text = [prompt, piped].filter((part) => part !== undefined && part.trim() !== "").join("\n\n");
  if (text === "") throw new UserError("usage", "no prompt", 'for example turnlog chat -p "what does this do?"');
  return once(text);
}

async function* once(text: string): AsyncGenerator<Content> {
  yield text;
}

async function readAll(io: Io): Promise<string> {
  const stream = io.stdin();
  if ("isTTY" in stream && stream.isTTY) return "";
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces).toString();
}

async function* readLines(io: Io): AsyncGenerator<Content> {
  for await (const line of createInterface({ input: io.stdin(), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== "") yield toContent(line);
  }
}

function toContent(line: string): Content {
  const json = tryParseJson(line);
  const content = valueAt(json, "message", "content");
  const isMessage = stringAt(json, "type") === "user" && (typeof content === "string" || isBlocks(content));
  if (!isMessage || content === "") {
    const hint = '{"type":"user","message":{"role":"user","content":"…"}} is one line of it';
    throw new UserError("usage", `not a message: ${line.slice(0, 100)}`, hint);
  }
  return content as Content;
}

function isBlocks(content: unknown): content is readonly ApiBlock[] {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((block) => isObject(block) && typeof block["type"] === "string")
  );
}
