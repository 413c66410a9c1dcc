import { type ApiMessage, textBlock } from "../../format/api-message.js";
import { stringAt } from "../../format/json.js";
import { type Model, ModelError, SILENT } from "../model/model.js";
import { modelFacts } from "../model/model-facts.js";
import type { Spending } from "../spending.js";
import { estimateTokens } from "./estimate-tokens.js";
import { serializeConversation } from "./serialize-conversation.js";

export interface CompactRequest {
  readonly model: Model;
  readonly modelName: string;
  readonly messages: readonly ApiMessage[];
  /** What a person wants kept. */
  readonly instructions: string | undefined;
  readonly signal: AbortSignal;
  /** What is asked costs something, whatever becomes of the answer. */
  readonly spending: Spending;
}

export interface Compacted {
  /** What the conversation goes on with, as the user's first message. */
  readonly text: string;
  /** A title for what was summed up. */
  readonly title: string;
}

const SYSTEM = `You sum up a conversation between a person and an assistant that works on software, so that another assistant can go on with it and nothing important is lost. You do not take part in it.

Write, in this order and in Markdown:
# a title of at most eight words
## What the person wants: every request and wish, in their own words where they matter
## What was done: files with their paths, changes, commands and what came of them, decisions and why
## What was found out: facts about the project, errors and how they were solved
## Where things stand: what is in progress at this moment, what is still open, what was to be done next

Be exact with names, paths, numbers and code. Leave out what no longer matters.`;

/** The words by which every client knows the record. */
const OPENING =
  "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:";
const CLOSING =
  "Please continue the conversation from where we left it off without asking the user any further questions. Continue with the last task that you were asked to work on.";

/** Undefined: the summary would not be shorter, or did not come. */
export async function compactConversation(request: CompactRequest): Promise<Compacted | undefined> {
  const { messages, modelName, instructions } = request;
  const room = modelFacts(modelName).contextWindow * 3; // characters; a token is about four
  const text = serializeConversation(messages, Math.floor(room * 0.8));
  const wish = instructions ? `\n\nThe person asks for this above all: ${instructions}` : "";
  const prompt = `<conversation>\n${text}\n</conversation>\n\nSum it up.${wish}`;
  const summary = (await askTwice(request, prompt)).trim();
  if (summary === "") return undefined;
  const whole = `${OPENING}\n\n${summary}\n\n${CLOSING}`;
  if (estimateTokens(whole) >= estimateTokens(messages)) return undefined;
  const title = /^#\s+(.+)$/m.exec(summary)?.[1]?.slice(0, 100) ?? "Conversation";
  return { text: whole, title };
}

async function askTwice(request: CompactRequest, prompt: string): Promise<string> {
  try {
    return await askOnce(request, prompt);
  } catch (error) {
    // Half of it, where the whole is too long even as text.
    if (!(error instanceof ModelError) || error.kind !== "too-long") throw error;
    return askOnce(request, prompt.slice(0, 200) + prompt.slice(Math.floor(prompt.length / 2)));
  }
}

async function askOnce({ model, modelName, signal, spending }: CompactRequest, prompt: string): Promise<string> {
  const started = performance.now();
  const answer = await model.answer(
    {
      model: modelName,
      system: [SYSTEM],
      messages: [{ role: "user", content: [textBlock(prompt)] }],
      tools: [],
      isAside: true,
    },
    SILENT,
    signal,
  );
  spending.add(modelName, answer.usage, performance.now() - started);
  if (answer.stopReason === null || answer.stopReason === "refusal") return "";
  return answer.blocks.map((block) => stringAt(block, "text") ?? "").join("\n");
}
