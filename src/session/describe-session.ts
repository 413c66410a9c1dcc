import type { LogRecord } from "../format/record/record.js";
import type { TitleSource } from "./choose-title.js";
import type { PullRequestLink, Warning } from "./facts/facts.js";
import { type Origin, originOf, type Relation } from "./facts/relations.js";
import { type Outline, type OutlineOptions, outlineRecords } from "./open-session.js";
import type { DeadBranch, Totals } from "./totals.js";
import { indexBodies, type Preamble, type Turn, turnReader } from "./turns/build-turn.js";
import type { Compaction } from "./turns/compactions.js";
import { hasOpenCall, type TurnOutline } from "./turns/outline-turns.js";

export interface SessionHeader {
  readonly id: string;
  readonly path: string | null;
  readonly project: string | null;
  readonly gitBranch: string | null;
  readonly slug: string | null;
  readonly title: string;
  readonly titleSource: TitleSource;
  readonly versions: readonly string[];
  readonly models: readonly string[];
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly forkedFrom: { readonly sessionId: string; readonly messageUuid: string | null } | null;
  /** The session that this one was made of, as its own records tell; `forkedFrom` may name the source of that one. */
  readonly origin: { readonly sessionId: string; readonly relation: Relation } | null;
  /** The session in which this one goes on. */
  readonly continuedIn: string | null;
  readonly prLinks: readonly PullRequestLink[];
  readonly recordedBy: { readonly name: string; readonly version: string | null } | null;
  readonly reportedCostUsd: number | null; // as recorded by Claude Code
  /** Rewound to before its first prompt: Claude Code resumes it without a message, its turns are on rewound branches. */
  readonly resumesEmpty: boolean;
}

/** A whole session in memory. */
export interface Session {
  readonly session: SessionHeader;
  readonly preamble: Preamble;
  readonly turns: readonly Turn[];
  readonly compactions: readonly Compaction[];
  readonly branches: { readonly active: string | null; readonly dead: readonly DeadBranch[] };
  readonly totals: Totals;
  readonly warnings: readonly Warning[];
}

export interface SessionName {
  readonly id: string;
  readonly path: string | null;
}

/** For sessions that fit in memory. Large files are read as an outline first, then turn by turn. */
export function describeSession(
  records: readonly LogRecord[],
  name: SessionName = { id: "", path: null },
  options: OutlineOptions = {},
): Session {
  const outline = outlineRecords(records, options);
  const bodies = indexBodies(records);
  const { preamble, turns, compactions } = turnReader(outline, () => bodies);
  return {
    session: toHeader(outline, name),
    preamble: preamble(),
    turns: [...turns()],
    compactions: compactions(),
    branches: { active: outline.activeLeaf, dead: outline.deadBranches },
    totals: outline.totals,
    warnings: outline.warnings,
  };
}

export function toHeader({ facts, title, models, resumesEmpty }: Outline, { id, path }: SessionName): SessionHeader {
  return {
    id,
    path,
    project: facts.firstCwd,
    gitBranch: facts.gitBranch,
    slug: facts.slug,
    title: title?.text ?? id,
    titleSource: title?.source ?? "id",
    versions: facts.versions,
    models,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    forkedFrom: facts.forkedFrom && { ...facts.forkedFrom, messageUuid: facts.forkedFrom.messageUuid ?? null },
    origin: toOrigin(originOf(facts.relations)),
    continuedIn: facts.relations.continuedIn?.sessionId ?? null,
    prLinks: facts.pullRequests,
    recordedBy: facts.recordedBy,
    reportedCostUsd: facts.reportedCostUsd,
    resumesEmpty,
  };
}

function toOrigin(origin: Origin | null): SessionHeader["origin"] {
  return origin && { sessionId: origin.sessionId, relation: origin.relation };
}

export interface GroupedTurns {
  readonly preamble: Preamble;
  readonly turns: readonly Turn[];
  /** How many of the records, from the first, are settled: a last turn that waits for its answer is not. */
  readonly consumed: number;
}

/** Turns of the active branch. To continue later, keep the records that were not consumed and append the new ones. */
export function groupTurns(records: readonly LogRecord[]): GroupedTurns {
  const outline = outlineRecords(records);
  const bodies = indexBodies(records);
  const { preamble, turns } = turnReader(outline, () => bodies);
  return {
    preamble: preamble(),
    turns: [...turns()],
    consumed: countConsumed(records, outline),
  };
}

function countConsumed(records: readonly LogRecord[], outline: Outline): number {
  const last = outline.turns.at(-1);
  if (!last || isAnswered(last, outline)) return records.length;
  return records.findIndex(({ line, offset }) => line === last.start.line && offset === last.start.offset);
}

function isAnswered({ nodes }: TurnOutline, { calls }: Outline): boolean {
  return (
    !hasOpenCall(nodes, calls) &&
    nodes.some(({ role }) => role === "answer" || role === "apiError" || role === "interrupt")
  );
}
