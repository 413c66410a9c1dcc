import type { MessageOutline } from "../../session/messages/message.js";
import type { EditSource } from "./edit-source.js";

/** What every request holds besides the conversation: instructions and definitions of tools. */
export interface Instructions {
  readonly bytes: number;
  /** Known from the session itself, which Claude Code has stored in `prompt_snapshot` since 2.1.301. */
  readonly isRecorded: boolean;
}

/**
 * As JSON, in bytes: what 2.1.326 sends without MCP servers and without settings. It sends short instructions to opus 4.8 and
 * later, and takes such a model where the session names none that it knows. Measured with a session of each model in the tests.
 */
const LONG = { system: 27_700, tools: 46_200 };
const SHORT = { system: 6200, tools: 30_000 };
const GETS_LONG = /(?:sonnet|haiku)-(?:4-[5-9]|[5-9])|opus-4-[5-7]/;

/** What Claude Code says of its surroundings, skills and agents with the next prompt, where the conversation does not have it. */
export const SURROUNDINGS_BYTES = 10_000;
/** What it says with the next prompt in any case, and a short prompt. */
export const REMINDER_BYTES = 1400;

/** Recorded sizes stand for those of the next request, since Claude Code sends what the session recorded. */
export function instructionsOf({ records, outline }: EditSource): Instructions {
  const usual = GETS_LONG.test(lastModel(outline.messages.values()) ?? "") ? LONG : SHORT;
  let [system, tools] = [0, 0];
  for (const { prompt } of records) {
    system = prompt?.system || system;
    tools = prompt?.tools || tools;
  }
  return { bytes: (system || usual.system) + (tools || usual.tools), isRecorded: system > 0 && tools > 0 };
}

function lastModel(messages: Iterable<MessageOutline>): string | undefined {
  return [...messages].findLast(({ isSynthetic, model }) => !isSynthetic && model !== undefined)?.model;
}
