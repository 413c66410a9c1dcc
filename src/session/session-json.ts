import type { ContentBlock } from "../format/content-block.js";
import type { Message } from "./assemble-messages.js";
import type { Preamble, Turn } from "./build-turn.js";
import type { ToolCall } from "./pair-tool-calls.js";

/** The parts of the JSON contract that differ from the model: no raw blocks where they say no more, no bytes of images. */
export function turnToJson(turn: Turn): object {
  const { attached: _attached, ...fields } = turn;
  return { ...fields, ...partsToJson(turn) };
}

export function preambleToJson(preamble: Preamble): object {
  return { ...preamble, ...partsToJson(preamble) };
}

function partsToJson({ messages, toolCalls }: Pick<Preamble, "messages" | "toolCalls">): object {
  return { messages: messages.map(messageToJson), toolCalls: toolCalls.map(callToJson) };
}

function callToJson(call: ToolCall): object {
  const { resultBlocks: _blocks, personsWords: _words, ...fields } = call;
  return fields;
}

function messageToJson(message: Message): object {
  return { ...message, blocks: message.blocks.map(blockToJson) };
}

function blockToJson(block: ContentBlock): object {
  if (block.kind === "toolResult" || block.kind === "other") return block;
  const { raw: _raw, ...fields } = block;
  return fields;
}
