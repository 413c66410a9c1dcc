import * as z from "zod";
import { UserError } from "../../../errors.js";
import { isObject } from "../../../format/json.js";
import type { LoadedSession } from "../../../library/load/load-session.js";
import type { Clean } from "../../../redact/create-redactor.js";
import { formatCount } from "../../../render/format-values.js";
import { isFiller, type Message } from "../../../session/messages/message.js";
import type { ToolStatus } from "../../../session/messages/tool-status.js";
import type { FollowUp, Preamble, Turn } from "../../../session/turns/build-turn.js";
import { mergeByTime } from "../../../session/turns/session-events.js";
import type { ToolCall } from "../../../session/turns/tool-calls.js";
import {
  cleanText,
  cutText,
  moreLine,
  PAGE_CHARACTERS,
  type PageItem,
  parseCursor,
  takePage,
} from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import { agentField, cursorField, defineMcpTool, openAgent, sessionField } from "../mcp-tool.js";

const PART_KINDS = ["prompts", "answers", "tools", "thinking"] as const;

const DEFAULT_CHARACTERS = 2000;
const MAX_CHARACTERS = 12_000;
const DEFAULT_WHAT: readonly TurnPart["what"][] = ["prompts", "answers", "tools"];

const fields = {
  session: sessionField,
  from: z
    .int()
    .optional()
    .describe("The first turn; negative numbers count from the end (-1 is the last turn), 0 is what precedes turn 1"),
  to: z
    .int()
    .optional()
    .describe("The last turn (default: the last of the session); negative numbers count from the end"),
  what: z
    .array(z.enum(PART_KINDS))
    .min(1)
    .optional()
    .describe("Kinds of text to return (default: prompts, answers and tools)"),
  textLimit: z
    .int()
    .min(100)
    .max(MAX_CHARACTERS)
    .optional()
    .describe(`Longer texts are cut to this many characters (default ${DEFAULT_CHARACTERS})`),
  part: z
    .string()
    .regex(/^\d{1,9}\.[1-9]\d{0,8}$/)
    .optional()
    .describe("Only this text: the `part` of an earlier answer, such as 3.5; with `offset`, the rest of a cut text"),
  offset: z.int().min(0).optional().describe("With `part`: the character to start at"),
  agent: agentField,
  cursor: cursorField,
};

type Arguments = z.infer<z.ZodObject<typeof fields>>;

export const sessionTurnsTool = defineMcpTool({
  name: "session_turns",
  title: "Read turns of a session",
  description:
    "The texts of some turns of a past session: prompts, answers, tool calls with their results, thinking on request. Use it " +
    "after search_sessions or session_outline showed which turns matter. Long texts are cut; a cut text ends with the `part` " +
    "and `offset` to request the rest.",
  fields,
  async answer(args, library) {
    const session = await openAgent(args.session, args.agent, library);
    const range = toRange(args, session.outline.turns.length);
    const page = takePage(toItems(session, range, args, library));
    const { id } = session.header;
    const empty = `no matching text in turns ${range.from} to ${range.to}`;
    return {
      text: page.items.length === 0 ? empty : page.text + moreLine(page.nextCursor),
      structured: {
        sessionId: id,
        ...range,
        turns: session.outline.turns.length,
        parts: page.items,
        nextCursor: page.nextCursor,
      },
    };
  },
});

interface Range {
  readonly from: number;
  readonly to: number;
}

function toRange({ from = 0, to = -1, part }: Arguments, turns: number): Range {
  const absolute = (turn: number) => (turn < 0 ? turns + 1 + turn : turn);
  const only = part === undefined ? undefined : Number.parseInt(part, 10);
  const range = { from: Math.max(0, only ?? absolute(from)), to: Math.min(turns, only ?? absolute(to)) };
  if (range.from <= range.to) return range;
  const hint = `the session has ${formatCount(turns, "turn")}`;
  throw new UserError("not-found", `there is no turn ${only ?? (to > 0 ? `from ${from} to ${to}` : from)}`, hint);
}

function* toItems(
  session: LoadedSession,
  range: Range,
  args: Arguments,
  library: McpLibrary,
): Generator<PageItem<object>> {
  const [startTurn = 0, startPart = 0] = parseCursor(args.cursor, 2);
  const wanted = args.part?.split(".").map(Number)[1];
  const what = new Set(args.what ?? DEFAULT_WHAT);
  for (let turn = Math.max(range.from, startTurn); turn <= range.to; turn++) {
    for (const [at, part] of partsOf(session, turn).entries()) {
      const number = at + 1;
      const isBehind = turn > startTurn || number >= startPart;
      const isMeant = wanted === undefined ? what.has(part.what) : number === wanted;
      if (isBehind && isMeant) yield toItem(turn, number, part, args, library);
    }
  }
}

function partsOf(session: LoadedSession, index: number): readonly TurnPart[] {
  if (index === 0) return preambleParts(session.preamble());
  const turn = session.turn(index);
  return turn ? turnParts(turn) : [];
}

function toItem(
  index: number,
  number: number,
  part: TurnPart,
  args: Arguments,
  { clean }: McpLibrary,
): PageItem<object> {
  const name = `${index}.${number}`;
  const whole = cleanText(textOf(part, clean), clean, part.kind);
  const offset = args.part === undefined ? 0 : (args.offset ?? 0);
  const limit = args.part === undefined ? (args.textLimit ?? DEFAULT_CHARACTERS) : PAGE_CHARACTERS - ITEM_FRAME;
  const { text, end } = cutText(whole, offset, limit);
  const nextOffset = end < whole.length ? end : null;
  const item = {
    turn: index,
    part: name,
    kind: part.kind,
    at: part.timestamp,
    ...(part.tool === undefined ? {} : { tool: clean(part.tool, "tool").slice(0, 200), status: part.status }),
    text,
    ...(nextOffset === null && offset === 0 ? {} : { offset, nextOffset, characters: whole.length }),
  };
  const tool = item.tool === undefined ? "" : ` ${item.tool}${item.status === "ok" ? "" : ` (${item.status})`}`;
  const rest = nextOffset === null ? "" : `\n${restLine(name, nextOffset, whole.length)}`;
  return { item, text: `[${name}] ${part.kind}${tool}\n${text}${rest}\n`, cursor: name };
}

const ITEM_FRAME = 1000;

/** Redacts tool input before it becomes text: its field names help to recognize secrets. */
function textOf({ body, kind, input }: TurnPart, clean: Clean): string {
  if (input !== undefined && typeof body === "string") return clean({ input, result: body }, kind).result;
  return bodyText(typeof body === "string" ? body : clean(body, kind));
}

function restLine(part: string, next: number, characters: number): string {
  return `… [cut: ${characters - next} of ${characters} characters follow; call session_turns with part "${part}" and offset ${next}]`;
}

/** One text of a turn. `what` is the argument that selects it. */
interface TurnPart {
  readonly what: (typeof PART_KINDS)[number];
  readonly kind:
    | "prompt"
    | "followUp"
    | "feedback"
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
  /** Of the call, beside its result: what a call prints may be a secret because of the call. */
  readonly input?: unknown;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly status?: ToolStatus;
}

/** In the order of the conversation, so that the number of a part stays the same while the session grows. */
function turnParts(turn: Turn): TurnPart[] {
  const { prompt, kind, output, startedAt, followUps } = turn;
  const asked = toPart("prompts", PROMPT_KINDS[kind], startedAt, prompt);
  return [asked, ...printed(output, startedAt), ...spokenParts(turn, followUps)];
}

/** The same for what precedes the first turn. */
function preambleParts(preamble: Preamble): TurnPart[] {
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

function callParts({ id, name, input, result, status, startedAt, personsWords }: ToolCall): TurnPart[] {
  const call = { tool: name, toolUseId: id, status };
  return [
    { ...toPart("tools", "call", startedAt, input), ...call },
    ...(result === null ? [] : [{ ...toPart("tools", "result", startedAt, result), ...call, input }]),
    ...personsWords.map(({ text }) => ({ ...toPart("prompts", "feedback", startedAt, text), ...call })),
  ];
}

/** A tool's input as `name: value` lines, which are easier to read than JSON with its escapes. */
function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  if (!isObject(body)) return JSON.stringify(body) ?? "";
  return Object.entries(body)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
