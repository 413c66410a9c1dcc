import { expect } from "vitest";
import type { ToolCall } from "../../src/session/turns/tool-calls.js";
import { type ChatWorld, makePlace, type Place, startChat } from "./chat-world.js";
import type { AnswerBlock } from "./mock-stream.js";

type Made = Extract<AnswerBlock, { call: string }>;

/** Each call in an answer of its own, then a last word. */
export async function callAll(
  calls: readonly Made[],
  files: Readonly<Record<string, string>> = {},
  place: Place = makePlace(files),
): Promise<ChatWorld> {
  const script = [...calls.map((call) => ({ blocks: [call] })), { blocks: [{ text: "Done." }] }];
  const world = await startChat(script, { place });
  await world.send("go");
  expect(world.api.problems).toEqual([]);
  expect(world.file.problems).toEqual([]);
  return world;
}

export const callsOf = ({ file }: ChatWorld): readonly ToolCall[] =>
  file.session.turns.flatMap(({ toolCalls }) => toolCalls);

export const call = (name: string, input: object): Made => ({ call: name, input });
