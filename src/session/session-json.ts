import type { ContentBlock } from "../format/content-block.js";
import type { Message } from "./assemble-messages.js";
import type { Preamble, Turn } from "./build-turn.js";

/** The parts of the JSON contract that differ from the model: blocks without their raw form where that says no more. */
export function turnToJson(turn: Turn): object {
  return { ...turn, messages: turn.messages.map(messageToJson) };
}

export function preambleToJson(preamble: Preamble): object {
  return { ...preamble, messages: preamble.messages.map(messageToJson) };
}

function messageToJson(message: Message): object {
  return { ...message, blocks: message.blocks.map(blockToJson) };
}

function blockToJson(block: ContentBlock): object {
  if (block.kind === "toolResult" || block.kind === "other") return block;
  const { raw: _raw, ...fields } = block;
  return fields;
}
