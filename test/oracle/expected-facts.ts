import { basename } from "node:path";
import { type Branches, findBranches } from "./branches.js";
import { chooseTitle, type TitleInput, type TitleSource } from "./choose-title.js";
import { isForkStart } from "./classify-user.js";
import { findSubagents, type SubagentFacts } from "./find-subagents.js";
import { numberAt, stringAt } from "./json-at.js";
import { isAnswer, messageKey } from "./message-key.js";
import { findQueuedMessages } from "./queued-messages.js";
import { type Row, readSession } from "./read-session.js";
import { sumUsage, type UsageFacts } from "./sum-usage.js";
import { findToolCalls, type ToolCallFacts, toolResultsOf } from "./tool-calls.js";
import { type TurnKind, type WalkedTurn, walkTurns } from "./walk-turns.js";

/** The part of `show --json` that follows from the documents alone, computed without any code of src/. */
export interface ExpectedFacts {
  readonly session: {
    readonly project: string | null;
    readonly gitBranch: string | null;
    readonly title: string;
    readonly titleSource: TitleSource;
    readonly versions: readonly string[];
    readonly models: readonly string[];
  };
  readonly preambleLocals: readonly string[];
  readonly turns: readonly TurnFacts[];
  readonly compactions: readonly { readonly trigger: string | null; readonly preTokens: number | null }[];
  readonly subagents: readonly SubagentFacts[];
  readonly branches: {
    readonly active: string | null;
    readonly dead: readonly { readonly leaf: string | null; readonly turns: number }[];
  };
  readonly totals: {
    readonly turns: number;
    readonly messages: number;
    readonly toolCalls: number;
    readonly toolErrors: number;
    readonly orphanToolCalls: number;
    readonly orphanToolResults: number;
    readonly apiErrors: number;
    readonly usage: UsageFacts;
    readonly records: number;
    readonly brokenLines: number;
  };
}

interface TurnFacts {
  readonly kind: TurnKind;
  readonly prompt: string;
  readonly uuid: string | null;
  readonly line: number;
  readonly messages: number;
  readonly toolCalls: readonly Pick<ToolCallFacts, "id" | "status">[];
  readonly interrupted: boolean;
  readonly followUps: number;
  readonly locals: readonly string[];
}

export function expectedFacts(file: string): ExpectedFacts {
  const { rows, records, brokenLines } = readSession(file);
  const branches = withoutInherited(findBranches(rows));
  const queued = findQueuedMessages(rows);
  const { preamble, turns } = walkTurns(branches.active.rows, queued);
  const calls = findToolCalls(branches.active.rows, branches.nodes);
  const calledIds = new Set(findToolCalls(branches.nodes, branches.nodes).map(({ id }) => id));
  const messageStarts = firstRowsOfMessages(branches.active.rows);

  return {
    session: {
      project: firstString(rows, "cwd"),
      gitBranch: firstString(rows.toReversed(), "gitBranch"),
      ...chooseTitle({ file, id: basename(file, ".jsonl"), rows, ...namingRows(branches, queued, turns) }),
      versions: distinct(rows.map(({ json }) => stringAt(json, "version"))),
      models: distinct(branches.nodes.filter(isAnswer).map(({ json }) => stringAt(json, "message", "model"))),
    },
    preambleLocals: preamble.locals,
    turns: turns.map((turn) => ({
      kind: turn.kind,
      prompt: turn.prompt,
      uuid: turn.start.uuid,
      line: turn.start.line,
      messages: turn.rows.filter((row) => messageStarts.has(row)).length,
      toolCalls: calls.filter(({ row }) => turn.rows.includes(row)).map(({ id, status }) => ({ id, status })),
      interrupted: turn.interrupted,
      followUps: turn.followUps,
      locals: turn.locals,
    })),
    compactions: findCompactions(branches.active.rows),
    subagents: findSubagents(file, rows),
    branches: {
      active: branches.active.leaf?.uuid ?? null,
      dead: branches.dead.map(({ leaf, rows: path, own }) => ({
        leaf: leaf.uuid,
        turns: walkTurns(path, queued).turns.filter(({ start }) => own.has(start)).length,
      })),
    },
    totals: {
      turns: turns.length,
      messages: messageStarts.size,
      toolCalls: calls.length,
      toolErrors: calls.filter(({ isError }) => isError).length,
      orphanToolCalls: calls.filter(({ status }) => status === "orphan").length,
      orphanToolResults: branches.active.rows.flatMap(toolResultsOf).filter(({ callId }) => !calledIds.has(callId))
        .length,
      apiErrors: branches.active.rows.filter(({ json }) => json["isApiErrorMessage"] === true).length,
      usage: sumUsage(ownRows(rows)),
      records,
      brokenLines,
    },
  };
}

/** FACTS-2.1.326 D2 and D4: what precedes the directive of a forked sub-agent is a copy of its parent's conversation. */
function ownRows(rows: readonly Row[]): readonly Row[] {
  return rows.slice(Math.max(0, rows.findLastIndex(isForkStart)));
}

function withoutInherited(branches: Branches): Branches {
  return { ...branches, active: { ...branches.active, rows: ownRows(branches.active.rows) } };
}

/** A session that resumes empty is named by what was rewound. */
function namingRows(
  { active, nodes }: Branches,
  queued: ReturnType<typeof findQueuedMessages>,
  turns: readonly WalkedTurn[],
): Pick<TitleInput, "activeRows" | "turns"> {
  return active.leaf === null
    ? { activeRows: nodes, turns: walkTurns(nodes, queued).turns }
    : { activeRows: active.rows, turns };
}

function firstRowsOfMessages(rows: readonly Row[]): Set<Row> {
  const first = new Map<string, Row>();
  for (const row of rows.filter(isAnswer)) {
    if (!first.has(messageKey(row))) first.set(messageKey(row), row);
  }
  return new Set(first.values());
}

/** A boundary, or a summary that stands alone (FACTS 7.3: treat as compaction start). */
function findCompactions(rows: readonly Row[]): ExpectedFacts["compactions"] {
  const isBoundary = ({ json }: Row) => json["subtype"] === "compact_boundary";
  const isLoneSummary = ({ json }: Row) => json["isCompactSummary"] === true && typeof json["parentUuid"] !== "string";
  return rows
    .filter((row) => isBoundary(row) || isLoneSummary(row))
    .map(({ json }) => ({
      trigger: stringAt(json, "compactMetadata", "trigger"),
      preTokens: numberAt(json, "compactMetadata", "preTokens"),
    }));
}

function firstString(rows: readonly Row[], field: string): string | null {
  return rows.map(({ json }) => stringAt(json, field)).find((value) => value !== null && value !== "") ?? null;
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))];
}
