import { isObject, type JsonObject, objectAt, stringAt } from "../../format/json.js";
import { readRecords } from "../../format/reader/record-reader.js";
import type { ApiBlock } from "../../format/record/api-message.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../../format/record/record.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import { isSynthetic, messageKey } from "../../session/messages/message.js";

/** The answers of the model in one conversation: of the session, or of one of its sub-agents. */
export interface Dialogue {
  /** Null: the session itself. */
  readonly agentId: string | null;
  readonly answers: readonly RecordedAnswer[];
}

export interface RecordedAnswer {
  readonly agentId: string | null;
  /** Its place in the dialogue. */
  readonly index: number;
  readonly before: Said;
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly ApiBlock[];
  readonly stopReason: string;
  readonly usage: JsonObject;
  /** How long the model took to its first block, and from each to the next. */
  readonly waitsMs: readonly number[];
}

/** What the user and the tools said since the answer before. */
export interface Said {
  readonly texts: readonly string[];
  /** The calls whose results they are. */
  readonly results: readonly string[];
}

export interface RecordedSession {
  readonly dialogues: readonly Dialogue[];
  readonly title: string;
  /** Of compactions, in their order. */
  readonly summaries: readonly string[];
  /** What calls brought that Claude Code answers by a request of its own, by their query or prompt. */
  readonly lookups: ReadonlyMap<string, string>;
}

/** Everything that the model said in a session and its sub-agents, with what came before it. Rewound branches are included. */
export function readDialogues(session: LoadedSession): RecordedSession {
  const collector = new DialogueCollector();
  const agents = session.subagents().filter(({ path }) => path !== session.path);
  collector.read(session.path, null);
  for (const { path, agentId } of agents) collector.read(path, agentId);
  return { ...collector.result(), title: session.header.title };
}

interface OpenAnswer {
  readonly before: Said;
  readonly blocks: ApiBlock[];
  readonly waitsMs: number[];
  record: AssistantRecord;
  usage: JsonObject;
  stopReason: string | undefined;
}

class DialogueCollector {
  readonly #chains = new Map<string | null, Chain>();
  readonly #seen = new Set<string>();
  readonly #summaries: string[] = [];
  readonly #queries = new Map<string, string>();
  readonly #lookups = new Map<string, string>();

  read(path: string, agentId: string | null): void {
    for (const record of readRecords(path, { forReplay: true })) this.#take(record, agentId);
  }

  result(): Omit<RecordedSession, "title"> {
    const dialogues = [...this.#chains].map(([agentId, chain]) => ({ agentId, answers: chain.answers(agentId) }));
    return { dialogues, summaries: this.#summaries, lookups: this.#lookups };
  }

  #take(record: LogRecord, file: string | null): void {
    if (record.kind !== "user" && record.kind !== "assistant") return;
    if (record.uuid !== undefined && this.#seen.has(record.uuid)) return; // a resumed session may repeat records
    if (record.uuid !== undefined) this.#seen.add(record.uuid);
    const agentId = file ?? (record.isSidechain ? (record.agentId ?? "side") : null);
    const chain = this.#chains.get(agentId) ?? new Chain();
    this.#chains.set(agentId, chain);
    if (record.kind === "assistant") this.#takeAnswer(record, chain);
    else this.#takeSaid(record, chain);
  }

  #takeAnswer(record: AssistantRecord, chain: Chain): void {
    if (isSynthetic(record) || record.isMeta) return;
    chain.answer(record);
    for (const block of record.blocks) {
      if (block.kind !== "toolCall") continue;
      const query = stringAt(block.input, "query") ?? stringAt(block.input, "prompt");
      if (query !== undefined) this.#queries.set(block.id, query);
    }
  }

  #takeSaid(record: UserRecord, chain: Chain): void {
    if (record.isCompactSummary) this.#summaries.push(textsOf(record).join("\n"));
    chain.say(record);
    for (const block of record.blocks) {
      const query = block.kind === "toolResult" ? this.#queries.get(block.toolUseId) : undefined;
      if (query !== undefined && block.kind === "toolResult") this.#lookups.set(query, block.text);
    }
  }
}

class Chain {
  readonly #open = new Map<string, OpenAnswer>();
  #texts: string[] = [];
  #results: string[] = [];
  #lastTime: number | undefined;

  say(record: UserRecord): void {
    this.#texts.push(
      ...textsOf(record)
        .map(plainText)
        .filter((text) => text !== ""),
    );
    for (const block of record.blocks) if (block.kind === "toolResult") this.#results.push(block.toolUseId);
    this.#lastTime = timeOf(record) ?? this.#lastTime;
  }

  answer(record: AssistantRecord): void {
    const key = messageKey(record);
    const open = this.#open.get(key) ?? this.#begin(key, record);
    const message = objectAt(record.raw, "message");
    const known = new Set(open.blocks.map((block) => JSON.stringify(block))); // a resumed copy may repeat records under new uuids
    const blocks = record.blocks
      .map(({ raw }) => raw)
      .filter((raw): raw is ApiBlock => isBlock(raw) && !known.has(JSON.stringify(raw)));
    const time = timeOf(record);
    const wait = time === undefined || this.#lastTime === undefined ? 0 : Math.max(0, time - this.#lastTime);
    open.blocks.push(...blocks);
    open.waitsMs.push(...blocks.map((_, at) => (at === 0 ? wait : 0)));
    open.record = record;
    open.usage = { ...open.usage, ...(objectAt(message, "usage") ?? {}) };
    open.stopReason = record.stopReason ?? open.stopReason;
    this.#lastTime = time ?? this.#lastTime;
  }

  #begin(key: string, record: AssistantRecord): OpenAnswer {
    const before = { texts: this.#texts, results: this.#results };
    const open = { before, blocks: [], waitsMs: [], record, usage: {}, stopReason: undefined };
    this.#texts = [];
    this.#results = [];
    this.#open.set(key, open);
    return open;
  }

  answers(agentId: string | null): RecordedAnswer[] {
    return [...this.#open.values()]
      .filter(({ blocks }) => blocks.length > 0)
      .map(({ before, blocks, waitsMs, record, usage, stopReason }, index) => ({
        agentId,
        index,
        before,
        id: record.messageId ?? `msg_recorded_${index}`,
        model: record.model ?? "unknown",
        blocks,
        stopReason: stopReason ?? (blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn"),
        usage,
        waitsMs,
      }));
  }
}

function textsOf({ blocks }: UserRecord): string[] {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []));
}

/** What was typed, whatever a client adds to it, so that texts of different clients compare. */
export function plainText(text: string): string {
  return text
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function isBlock(raw: unknown): raw is ApiBlock {
  return isObject(raw) && typeof raw["type"] === "string";
}

function timeOf({ timestamp }: LogRecord & { timestamp?: string | undefined }): number | undefined {
  const time = Date.parse(timestamp ?? "");
  return Number.isNaN(time) ? undefined : time;
}
