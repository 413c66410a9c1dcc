import { arrayAt, numberAt, stringAt } from "../../format/json.js";
import { type ApiBlock, type ApiMessage, textBlock } from "../../format/record/api-message.js";
import { type Conversation, spend } from "../conversation/conversation.js";
import { ModelError, SILENT } from "../model/model.js";
import { modelFacts } from "../model/model-facts.js";

export interface CompactRequest {
  readonly conversation: Conversation;
  readonly messages: readonly ApiMessage[];
  /** What the user wants to keep. */
  readonly instructions: string | undefined;
  readonly signal: AbortSignal;
}

export interface Compacted {
  /** The first user message of the continued conversation. */
  readonly text: string;
  /** A title for the summarized part. */
  readonly title: string;
}

const SYSTEM = `You sum up a conversation between a person and an assistant that works on software, so that another assistant can continue it and nothing important is lost. You do not take part in it.

Write, in this order and in Markdown:
# a title of at most eight words
## What the person wants: every request and wish, in their own words where they matter
## What was done: files with their paths, changes, commands and what came of them, decisions and why
## What was found out: facts about the project, errors and how they were solved
## Where things stand: what is in progress at this moment, what is still open, what was to be done next

Be exact with names, paths, numbers and code. Leave out what no longer matters.`;

/** The words by which every Claude Code version recognizes the record. */
const OPENING =
  "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:";
const CLOSING =
  "Please continue the conversation from where we left it off without asking the user any further questions. Continue with the last task that you were asked to work on.";

/** Undefined: the summary would not be shorter, or there was none. */
export async function compactConversation(request: CompactRequest): Promise<Compacted | undefined> {
  const { messages, conversation, instructions } = request;
  const room = modelFacts(conversation.modelName).contextWindow * 3; // characters; a token is about four of them
  const text = serializeConversation(messages, Math.floor(room * 0.8));
  const focus = instructions ? `\n\nThe person asks for this above all: ${instructions}` : "";
  const prompt = `<conversation>\n${text}\n</conversation>\n\nSum it up.${focus}`;
  const summary = (await askTwice(request, prompt)).trim();
  if (summary === "") return undefined;
  const whole = `${OPENING}\n\n${summary}\n\n${CLOSING}`;
  if (estimateMessageTokens(whole) >= estimateMessageTokens(messages)) return undefined;
  const title = /^#\s+(.+)$/m.exec(summary)?.[1]?.slice(0, 100) ?? "Conversation";
  return { text: whole, title };
}

async function askTwice(request: CompactRequest, prompt: string): Promise<string> {
  try {
    return await askOnce(request, prompt);
  } catch (error) {
    // If all of it is too long even as text, send half.
    if (!(error instanceof ModelError) || error.kind !== "too-long") throw error;
    return askOnce(request, prompt.slice(0, 200) + prompt.slice(Math.floor(prompt.length / 2)));
  }
}

async function askOnce({ conversation, signal }: CompactRequest, prompt: string): Promise<string> {
  const { host, modelName } = conversation;
  const started = performance.now();
  const answer = await host.model.answer(
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
  const durationMs = performance.now() - started;
  spend(conversation, { model: answer.model || modelName, usage: answer.usage, durationMs, isRecorded: false });
  if (answer.stopReason === null || answer.stopReason === "refusal") return "";
  return answer.blocks.map((block) => stringAt(block, "text") ?? "").join("\n");
}

const MAX_RESULT_CHARS = 2_000;

/** The conversation as text, because as messages it could not be sent without its tools and signatures. */
function serializeConversation(messages: readonly ApiMessage[], maxChars: number): string {
  const texts = messages.map(
    ({ role, content }) =>
      `<${role}>\n${content
        .map(toText)
        .filter((text) => text !== "")
        .join("\n")}\n</${role}>`,
  );
  const whole = texts.join("\n\n");
  if (whole.length <= maxChars) return whole;
  // Keep the beginning (the task) and the end (the current state).
  const head = Math.floor(maxChars * 0.2);
  return `${whole.slice(0, head)}\n\n… (${whole.length - maxChars} characters left out) …\n\n${whole.slice(head - maxChars)}`;
}

function toText(block: ApiBlock): string {
  switch (block.type) {
    case "text":
      return stringAt(block, "text") ?? "";
    case "tool_use":
      return `[call ${stringAt(block, "name")}] ${shorten(JSON.stringify(block["input"]))}`;
    case "tool_result":
      return `[result] ${shorten(
        stringAt(block, "content") ??
          arrayAt(block, "content")
            .map((part) => stringAt(part, "text") ?? "")
            .join("\n"),
      )}`;
    case "thinking":
    case "redacted_thinking":
      return "";
    default:
      return `[${block.type}]`;
  }
}

function shorten(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text;
  const half = MAX_RESULT_CHARS / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** The API counts images by size, not bytes. The number of pages of a document is unknown here. */
const SEEN: ReadonlyMap<string, number> = new Map([
  ["image", 1_600],
  ["document", 20_000],
]);

/** An estimate: UTF-8 bytes / 4. */
export function estimateMessageTokens(value: string | readonly ApiMessage[]): number {
  if (typeof value === "string") return Math.ceil(Buffer.byteLength(value) / 4);
  return value.reduce((sum, { content }) => sum + tokensOf(content), 0);
}

function tokensOf(blocks: readonly ApiBlock[]): number {
  return blocks.reduce((sum, block) => {
    const parts = block["content"];
    const inside = Array.isArray(parts) ? tokensOf(parts as ApiBlock[]) : undefined;
    return sum + (SEEN.get(block.type) ?? inside ?? estimateMessageTokens(JSON.stringify(block)));
  }, 0);
}

/** Tokens of a request and its answer, as counted by the API. */
export function contextTokens(usage: unknown): number {
  const fields = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
  return fields.reduce((sum, field) => sum + (numberAt(usage, field) ?? 0), 0);
}
