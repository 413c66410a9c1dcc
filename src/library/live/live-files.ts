import { isObject, stringAt } from "../../format/json.js";
import { findSubagentFiles, type SharedSubagents, type SubagentFile } from "../../format/layout/files-of-session.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import type { ToolCallBlock } from "../../format/record/content-block.js";
import type { LogRecord } from "../../format/record/record.js";
import { bodyPlace, type Node } from "../../session/graph/node.js";
import { costOf, type PriceTable } from "../../session/messages/cost.js";
import { isCountedMessage, type MessageOutline, usageOf } from "../../session/messages/message.js";
import type { Outline } from "../../session/open-session.js";
import { ownText } from "../../session/prompts/classify-input.js";
import { costsOfFiles } from "../../session/session-spend.js";
import { summarizeCall } from "../../session/turns/tool-calls.js";
import { type FollowedSession, followSession } from "../load/live-session.js";
import type { LoadedSession, LoadOptions } from "../load/load-session.js";

/** What the files of a session tell about what happens in it now. */
export interface LiveFacts {
  readonly title: string;
  readonly project: string | null;
  readonly gitBranch: string | null;
  /** The last thing that was said or called. */
  readonly lastLine: string | null;
  /** The last turn is not over, as far as its records tell. */
  readonly isTurnOpen: boolean;
  readonly endsInApiError: boolean;
  /** Calls of the last turn without a result. */
  readonly openCalls: readonly OpenCall[];
  readonly writtenAt: number; // by the session or a sub-agent, ms since the epoch
  readonly model: string | null;
  /** Of the last request; null before the first. */
  readonly contextTokens: number | null;
  readonly totalCostUsd: number | null;
  /** In the last five minutes, per minute. */
  readonly costPerMinuteUsd: number | null;
  readonly agents: readonly LiveAgent[];
}

export interface OpenCall {
  readonly name: string;
  readonly summary: string;
  readonly since: number | null;
}

/** A sub-agent that is at work. */
export interface LiveAgent {
  readonly agentId: string;
  readonly type: string | null;
  readonly description: string | null;
  readonly lastLine: string | null;
  readonly writtenAt: number;
}

const RATE_MS = 5 * 60_000;
/** An agent whose file rests longer is not at work, whatever its last record says: its process may have been killed. */
const AGENT_REST_MS = 10 * 60_000;
const AGENTS_LISTED_EVERY_MS = 2_000;

interface Followed {
  readonly follow: FollowedSession;
  session: LoadedSession | undefined;
  readonly meta: unknown;
  writtenAt: number;
}

/** Keeps the files of one session open: a look reads what was appended since the last one. */
export class LiveFiles {
  readonly #main: Followed;
  readonly #agents = new Map<string, Followed>();
  readonly #shared: () => SharedSubagents;
  #agentsListedAt = 0;
  #told: Told | undefined;

  constructor(
    private readonly path: string,
    private readonly options: LoadOptions,
    shared: () => SharedSubagents,
  ) {
    this.#shared = shared;
    this.#main = this.#open(path, null, 0);
  }

  /** Undefined while there is no transcript. `writtenAt`: when the transcript was last written. */
  look(now: number, writtenAt: number): LiveFacts | undefined {
    this.#main.writtenAt = writtenAt;
    const isNew = readOn(this.#main);
    const areNew = this.#lookAtAgents(now, isNew);
    if (isNew || areNew || !this.#told) this.#told = this.#tell(now);
    if (!this.#told) return undefined;
    const { facts, spends } = this.#told;
    const agents = facts.agents.filter((agent) => now - agent.writtenAt < AGENT_REST_MS);
    return { ...facts, agents, costPerMinuteUsd: rateOf(spends, now) };
  }

  close(): void {
    for (const { follow } of [this.#main, ...this.#agents.values()]) follow.close();
  }

  #open(path: string, meta: unknown, writtenAt: number): Followed {
    // As of the beginning of time every session may still go on, so its last turn is open unless its records end it.
    return { follow: followSession(path, { ...this.options, now: 0 }), session: undefined, meta, writtenAt };
  }

  #lookAtAgents(now: number, isNew: boolean): boolean {
    if (isNew || now - this.#agentsListedAt >= AGENTS_LISTED_EVERY_MS) {
      this.#agentsListedAt = now;
      for (const file of findSubagentFiles(this.path, this.#shared()).subagents) this.#note(file);
    }
    return [...this.#agents.values()].map(readOn).includes(true);
  }

  #note({ path, meta, mtimeMs }: SubagentFile): void {
    const known = this.#agents.get(path);
    if (known) known.writtenAt = mtimeMs;
    else this.#agents.set(path, this.#open(path, meta, mtimeMs));
  }

  #tell(now: number): Told | undefined {
    const main = this.#main.session;
    if (!main) return undefined;
    const { prices } = this.options;
    const agents = [...this.#agents.entries()].flatMap(([path, agent]) => (agent.session ? [{ ...agent, path }] : []));
    const outlines = agents.map(({ session }) => session?.outline).filter((outline) => outline !== undefined);
    const last = lastMessageOf(main.outline);
    const spends = [main.outline, ...outlines].flatMap((outline) => spendsOf(outline, now, prices));
    const facts: LiveFacts = {
      title: main.header.title,
      project: main.header.project,
      gitBranch: main.header.gitBranch,
      lastLine: lastLineOf(main),
      isTurnOpen: isTurnOpen(main.outline),
      endsInApiError: lastSaid(main.outline)?.role === "apiError",
      openCalls: openCallsOf(main),
      writtenAt: Math.max(this.#main.writtenAt, ...agents.map(({ writtenAt }) => writtenAt)),
      model: last?.model ?? null,
      contextTokens: last ? contextOf(last) : null,
      totalCostUsd: costsOfFiles(main.outline, outlines, prices).totalCostUsd,
      costPerMinuteUsd: null,
      agents: agents.flatMap(({ path, session, meta, writtenAt }) =>
        session && isTurnOpen(session.outline) ? [toAgent(path, session, meta, writtenAt)] : [],
      ),
    };
    return { facts, spends };
  }
}

interface Told {
  readonly facts: LiveFacts;
  readonly spends: readonly Spend[];
}

/** Whether there was anything to read. */
function readOn(followed: Followed): boolean {
  const { session } = followed.follow.poll();
  if (session) followed.session = session;
  return session !== undefined;
}

function isTurnOpen({ turns }: Outline): boolean {
  const last = turns.at(-1);
  return last !== undefined && !last.isComplete;
}

function toAgent(path: string, session: LoadedSession, meta: unknown, writtenAt: number): LiveAgent {
  return {
    agentId: session.header.id.replace(/^agent-/, "") || path,
    type: stringAt(meta, "agentType") ?? null,
    description: stringAt(meta, "description") ?? null,
    lastLine: lastLineOf(session),
    writtenAt,
  };
}

function openCallsOf({ path, outline }: LoadedSession): OpenCall[] {
  const isOpen = (id: string) => outline.calls.has(id) && outline.calls.get(id)?.endedAt === undefined;
  const nodes = (outline.turns.at(-1)?.nodes ?? []).filter(({ calls = [] }) => calls.some(({ id }) => isOpen(id)));
  const records = nodes.flatMap((node) => [...readRecordsAt(path, [bodyPlace(node)])]);
  const blocks = records.flatMap((record) => (record.kind === "assistant" ? record.blocks : []));
  return blocks.flatMap((block) =>
    block.kind === "toolCall" && isOpen(block.id)
      ? [{ name: block.name, summary: describeCall(block), since: outline.calls.get(block.id)?.startedAt ?? null }]
      : [],
  );
}

/** Of a question to the user the question says more than that there is one. */
function describeCall({ name, input }: ToolCallBlock): string {
  const questions = isObject(input) && Array.isArray(input["questions"]) ? input["questions"] : [];
  const asked = questions.flatMap((question) => stringAt(question, "question") ?? []);
  return asked.length > 0 ? asked.join(" ") : summarizeCall(name, input);
}

const SAID: ReadonlySet<Node["role"]> = new Set([
  "answer",
  "apiError",
  "prompt",
  "queuedPrompt",
  "bash",
  "command",
] as const);

function lastSaid({ active }: Outline): Node | undefined {
  return active.findLast(({ role }) => SAID.has(role));
}

function lastLineOf({ path, outline }: LoadedSession): string | null {
  const node = lastSaid(outline);
  if (!node) return null;
  const lines = [...readRecordsAt(path, [bodyPlace(node)])].flatMap(linesOf);
  return lines.at(-1) ?? (node.text === undefined ? null : oneLine(node.text));
}

function linesOf(record: LogRecord): string[] {
  if (record.kind === "user") return [oneLine(ownText(record.blocks))].filter((line) => line !== "");
  if (record.kind !== "assistant") return [];
  return record.blocks.flatMap((block) => {
    if (block.kind === "toolCall") return [oneLine(`${block.name}: ${summarizeCall(block.name, block.input)}`)];
    const text = block.kind === "text" ? block.text.trim() : "";
    return text === "" ? [] : [oneLine(text.slice(text.lastIndexOf("\n") + 1))];
  });
}

const MAX_LINE = 300;

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, MAX_LINE);
}

function lastMessageOf({ active, messages }: Outline): MessageOutline | undefined {
  const isCounted = (message: MessageOutline | undefined) =>
    message !== undefined && isCountedMessage(message) && message.counters !== undefined;
  return messages.get(active.findLast(({ message }) => isCounted(messages.get(message ?? "")))?.message ?? "");
}

function contextOf(message: MessageOutline): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usageOf(message);
  return input + cacheRead + cacheWrite5m + cacheWrite1h;
}

interface Spend {
  readonly time: number;
  readonly usd: number | null; // of a model without a price
}

/** What was spent so recently that it may count for a rate. */
function spendsOf({ messages }: Outline, now: number, prices: PriceTable | undefined): Spend[] {
  return [...messages.values()].flatMap((message) => {
    const { time, model, speed, isCopied, isInherited } = message;
    if (time === undefined || time < now - RATE_MS || isCopied || isInherited) return [];
    return [{ time, usd: costOf(usageOf(message), model, speed, prices) }];
  });
}

function rateOf(spends: readonly Spend[], now: number): number | null {
  const recent = spends.filter(({ time }) => time > now - RATE_MS);
  const usd = recent.reduce<number | null>(
    (sum, spend) => (sum === null || spend.usd === null ? null : sum + spend.usd),
    0,
  );
  return usd === null ? null : usd / (RATE_MS / 60_000);
}
