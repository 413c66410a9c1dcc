import { findSecrets } from "../../redact/find-secrets.js";
import type { SessionHeader } from "../../session/describe-session.js";
import { type CallRow, type Copyable, keyHash, listRows, type NumberRows } from "../../session/number-rows.js";
import type { Outline } from "../../session/open-session.js";
import { gatherCalls, gatherMessages, gatherTurns, packCalls, packMessages, packTurns } from "./ledger.js";
import { packCallRows, packMessageRows, packTurnRows } from "./packed-rows.js";
import { type AgentCells, packAgent, packSummary } from "./summary-cells.js";
import { encodeTurnLines, encodeTurnStarts } from "./turn-lines.js";

/** What the catalog stores of a file besides its state, as cells: plain data that a thread can pass to another. */
export interface FileNumbers {
  /** Null for a sub-agent. */
  readonly session: SessionCells | null;
  /** Null for a session. */
  readonly agent: AgentCells | null;
  /** All messages, calls and turns. */
  readonly rows: Packed;
  /** Their keys, each once. */
  readonly keys: Keys;
  /** Their sums. */
  readonly sums: Packed;
  readonly first: number | null; // ms since the epoch
  readonly last: number | null;
  readonly launches: readonly (readonly [agentId: string, line: number])[];
  /** As recorded. */
  readonly changedFiles: readonly string[];
}

export interface Packed {
  readonly messages: string;
  readonly calls: string;
  readonly turns: string;
}

export interface Keys {
  readonly messages: readonly number[];
  readonly calls: readonly number[];
  readonly turns: readonly number[];
}

/** In the order of the table. */
export type SessionCells = readonly [
  ended: string | null,
  project: string | null,
  title: string,
  hasSecret: boolean,
  summary: string,
  turnLines: string,
  turnStarts: string,
  relations: string,
];

/** What a list of sessions shows of a file. */
export interface FileBrief {
  /** Null for a sub-agent. */
  readonly session: readonly [ended: string | null, project: string | null, title: string, summary: string] | null;
  /** Null for a session. */
  readonly agent: AgentCells | null;
  /** Of all messages, calls and turns. */
  readonly keys: Float64Array;
}

export function toFileBrief(outline: Outline, header: SessionHeader, isAgent: boolean): FileBrief {
  const rows = listRows(outline, isAgent);
  const { endedAt, project, title } = header;
  return {
    session: isAgent ? null : [endedAt, project, title, packSummary(outline, header, rows)],
    agent: isAgent ? packAgent(outline, rows) : null,
    keys: allKeys(rows),
  };
}

export function allKeys({ messages, calls, turns }: NumberRows): Float64Array {
  return Float64Array.from([...messages, ...calls, ...turns].map(({ key }) => key));
}

function packRows({ messages, calls, turns }: NumberRows): Packed {
  return { messages: packMessageRows(messages), calls: packCallRows(calls), turns: packTurnRows(turns) };
}

function listKeys({ messages, calls, turns }: NumberRows): Keys {
  return { messages: keysOf(messages), calls: keysOf(calls), turns: keysOf(turns) };
}

export function toFileNumbers(outline: Outline, header: SessionHeader, isAgent: boolean): FileNumbers {
  const rows = listRows(outline, isAgent);
  const { messages, calls, turns } = rows;
  return {
    session: isAgent ? null : toSessionCells(outline, header, rows),
    agent: isAgent ? packAgent(outline, rows) : null,
    rows: packRows(rows),
    keys: listKeys(rows),
    sums: {
      messages: packMessages(gatherMessages(messages)),
      calls: packCalls(gatherCalls(calls)),
      turns: packTurns(gatherTurns(turns)),
    },
    ...timeRange([messages, calls, turns]),
    launches: listLaunches(outline, calls),
    changedFiles: outline.facts.work.changedFiles,
  };
}

function toSessionCells(outline: Outline, header: SessionHeader, rows: NumberRows): SessionCells {
  const { endedAt, project, title } = header;
  const summary = packSummary(outline, header, rows);
  const lines = [encodeTurnLines(outline.turns), encodeTurnStarts(outline.turns)] as const;
  return [
    endedAt,
    project,
    title,
    [title, project, header.gitBranch, ...namesOfTools(outline), ...namesOfLinks(outline)].some(
      (name) => findSecrets(name ?? "").length > 0,
    ),
    summary,
    ...lines,
    JSON.stringify(outline.facts.relations),
  ];
}

function namesOfTools({ calls }: Outline): ReadonlySet<string> {
  return new Set([...calls.values()].map(({ name }) => name));
}

function namesOfLinks({ facts }: Outline): string[] {
  const commits = facts.work.commits.flatMap(({ branch, subject }) => [branch ?? "", subject ?? ""]);
  return [...facts.pullRequests.map(({ url }) => url ?? ""), ...commits];
}

function keysOf(rows: readonly Copyable[]): number[] {
  return [...new Set(rows.map(({ key }) => key))];
}

function listLaunches({ tasks }: Outline, calls: readonly CallRow[]): FileNumbers["launches"] {
  if (tasks.size === 0) return [];
  const lines = new Map(calls.map(({ key, line }) => [key, line]));
  return [...tasks].flatMap(([agentId, call]) => {
    const line = lines.get(keyHash("call", call));
    return line === undefined ? [] : [[agentId, line] as const];
  });
}

function timeRange(
  kinds: readonly (readonly { readonly time: number | null }[])[],
): Pick<FileNumbers, "first" | "last"> {
  let [first, last]: (number | null)[] = [null, null];
  for (const rows of kinds) {
    for (const { time } of rows) {
      if (time === null) continue;
      if (first === null || first === undefined || time < first) first = time;
      if (last === null || last === undefined || time > last) last = time;
    }
  }
  return { first: first ?? null, last: last ?? null };
}
