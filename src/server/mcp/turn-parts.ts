import { isObject } from "../../format/json.js";
import { isFiller, type Message } from "../../session/assemble-messages.js";
import type { FollowUp, Preamble, Turn } from "../../session/build-turn.js";
import { mergeByTime } from "../../session/merge-by-time.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import type { ToolStatus } from "../../session/tool-status.js";

export const PART_KINDS = ["prompts", "answers", "tools", "thinking"] as const;

/** One text of a turn. `what` chooses it, `kind` says what it is. */
export interface TurnPart {
  readonly what: (typeof PART_KINDS)[number];
  readonly kind:
    | "prompt"
    | "followUp"
    | "command"
    | "commandOutput"
    | "notification"
    | "answer"
    | "apiError"
    | "thinking"
    | "call"
    | "result";
  readonly timestamp: string | null;
  /** A text, or the input of a tool call. */
  readonly body: unknown;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly status?: ToolStatus;
}

/** In the order of the conversation, so that the place of a part is its name while the session grows. */
export function turnParts(turn: Turn): TurnPart[] {
  const { prompt, kind, output, startedAt, followUps } = turn;
  const asked = toPart("prompts", PROMPT_KINDS[kind], startedAt, prompt);
  return [asked, ...printed(output, startedAt), ...spokenParts(turn, followUps)];
}

/** The same for what stands before the first turn. */
export function preambleParts(preamble: Preamble): TurnPart[] {
  return spokenParts(preamble, []);
}

const PROMPT_KINDS: Readonly<Record<Turn["kind"], TurnPart["kind"]>> = {
  prompt: "prompt",
  command: "command",
  bash: "command",
  notification: "notification",
};

function spokenParts({ messages, toolCalls, locals }: Preamble, followUps: readonly FollowUp[]): TurnPart[] {
  const calls = new Map(toolCalls.map((call) => [call.id, call]));
  const said = messages.filter((message) => !isFiller(message)).flatMap((message) => messageParts(message, calls));
  const typed = followUps.map(({ prompt, at }) => toPart("prompts", "followUp", at, prompt));
  const local = locals.flatMap(({ prompt, output, at }) => [
    toPart("prompts", "command", at, prompt),
    ...printed(output, at),
  ]);
  return mergeByTime(said, typed, local);
}

function toPart(what: TurnPart["what"], kind: TurnPart["kind"], timestamp: string | null, body: unknown): TurnPart {
  return { what, kind, timestamp, body };
}

function printed(output: string | null, at: string | null): TurnPart[] {
  return output ? [toPart("prompts", "commandOutput", at, output)] : [];
}

function messageParts({ blocks, isApiError, startedAt }: Message, calls: ReadonlyMap<string, ToolCall>): TurnPart[] {
  return blocks.flatMap((block): TurnPart[] => {
    switch (block.kind) {
      case "text":
        return block.text.trim() === ""
          ? []
          : [toPart("answers", isApiError ? "apiError" : "answer", startedAt, block.text)];
      case "thinking":
        return block.text.trim() === "" ? [] : [toPart("thinking", "thinking", startedAt, block.text)];
      case "toolCall": {
        const call = calls.get(block.id);
        return call ? callParts(call) : [];
      }
      default:
        return [];
    }
  });
}

function callParts({ id, name, input, result, status, startedAt }: ToolCall): TurnPart[] {
  const call = { tool: name, toolUseId: id, status };
  return [
    { ...toPart("tools", "call", startedAt, input), ...call },
    ...(result === null ? [] : [{ ...toPart("tools", "result", startedAt, result), ...call }]),
  ];
}

/** A tool's input as `name: value` lines, which read better than JSON with its escapes. */
export function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  if (!isObject(body)) return JSON.stringify(body) ?? "";
  return Object.entries(body)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
