import { createRedactor } from "../../redact/create-redactor.js";
import type { SessionHeader } from "../../session/describe-session.js";
import type { Outline } from "../../session/open-session.js";
import { gatherCalls, gatherMessages, gatherTurns, packCalls, packMessages, packTurns } from "./ledger.js";
import { type CallRow, type Copyable, keyHash, listCalls, listMessages, listTurns } from "./number-rows.js";
import { packCallRows, packMessageRows, packTurnRows } from "./packed-rows.js";
import { packSpent, packSummary } from "./summary-cells.js";
import { encodeTurnLines, encodeTurnStarts } from "./turn-lines.js";

/** What the catalog stores of a file besides its state, as cells: plain data that a thread can pass to another. */
export interface FileNumbers {
  /** Null for a sub-agent. */
  readonly session: SessionCells | null;
  /** What a sub-agent spent; null for a session. */
  readonly spent: string | null;
  /** All messages, calls and turns. */
  readonly rows: Packed;
  /** Their keys, each once. */
  readonly keys: Keys;
  /** Their sums. */
  readonly sums: Packed;
  readonly first: number | null; // ms since the epoch
  readonly last: number | null;
  readonly launches: readonly (readonly [agentId: string, line: number])[];
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
  /** What a sub-agent spent; null for a session. */
  readonly spent: string | null;
  readonly messages: string;
  readonly messageKeys: readonly number[];
}

export function toFileBrief(outline: Outline, header: SessionHeader, isAgent: boolean): FileBrief {
  const messages = listMessages(outline, isAgent);
  const { endedAt, project, title } = header;
  return {
    session: isAgent ? null : [endedAt, project, title, packSummary(outline, header)],
    spent: isAgent ? packSpent(outline) : null,
    messages: packMessageRows(messages),
    messageKeys: keysOf(messages),
  };
}

export function toFileNumbers(outline: Outline, header: SessionHeader, isAgent: boolean): FileNumbers {
  const messages = listMessages(outline, isAgent);
  const calls = listCalls(outline);
  const turns = listTurns(outline, isAgent);
  return {
    session: isAgent ? null : toSessionCells(outline, header),
    spent: isAgent ? packSpent(outline) : null,
    rows: { messages: packMessageRows(messages), calls: packCallRows(calls), turns: packTurnRows(turns) },
    keys: { messages: keysOf(messages), calls: keysOf(calls), turns: keysOf(turns) },
    sums: {
      messages: packMessages(gatherMessages(messages)),
      calls: packCalls(gatherCalls(calls)),
      turns: packTurns(gatherTurns(turns)),
    },
    ...timeRange([messages, calls, turns]),
    launches: listLaunches(outline, calls),
  };
}

const redactor = createRedactor({ level: "mask" });

function toSessionCells(outline: Outline, header: SessionHeader): SessionCells {
  const { endedAt, project, title } = header;
  const summary = packSummary(outline, header);
  const lines = [encodeTurnLines(outline.turns), encodeTurnStarts(outline.turns)] as const;
  return [
    endedAt,
    project,
    title,
    redactor.text(title) !== title,
    summary,
    ...lines,
    JSON.stringify(outline.facts.relations),
  ];
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
