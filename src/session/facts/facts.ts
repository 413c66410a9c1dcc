import { MAX_WHOLE_LINE_BYTES } from "../../format/reader/record-reader.js";
import type {
  CompactionFields,
  ForkContextFact,
  ForkOrigin,
  LogRecord,
  PullRequestFact,
  SideRecord,
  SystemRecord,
} from "../../format/record/record.js";
import { emptyRelations, observeRelations, type SessionRelations } from "./relations.js";
import { emptyWork, observeWork, type SessionWork } from "./session-work.js";

/** The line is 1-based, 0 for the file as a whole. */
export interface Warning {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

export interface PullRequestLink {
  readonly number: number | null;
  readonly url: string | null;
  readonly repository: string | null;
  readonly at: string | null;
}

export interface QueueOperation {
  readonly operation: string;
  readonly content: string | null;
  readonly line: number;
  readonly at: string | null;
}

/** The model ended the conversation, or memory was switched on or off. */
export interface SessionMark {
  readonly type: "ended-by-model" | "memory-mode";
  readonly mode: string | null;
  readonly line: number;
  readonly at: string | null;
}

export interface CompactionFact extends CompactionFields {
  readonly line: number;
  readonly at: string | null;
}

/** Where the last `last-prompt` record ends the conversation; `uuid` is null where it names no record. */
export interface LeafHint {
  readonly uuid: string | null;
  readonly line: number;
  readonly isExplicit: boolean;
}

/** Data about the session that is not part of the conversation, collected record by record. JSON, so that it can be stored. */
export interface Facts {
  records: number;
  otherRecords: number;
  brokenLines: number;
  startedAt: string | null;
  endedAt: string | null;
  firstCwd: string | null;
  lastCwd: string | null;
  gitBranch: string | null;
  slug: string | null;
  versions: string[];
  forkedFrom: ForkOrigin | null;
  recordedBy: { name: string; version: string | null } | null;
  customTitle: string | null;
  aiTitle: string | null;
  tag: string | null;
  summaries: { text: string; leafUuid: string | null }[];
  lastPrompt: string | null;
  leafHint: LeafHint | null;
  reportedCostUsd: number | null;
  pullRequests: PullRequestLink[];
  queue: QueueOperation[];
  compactions: CompactionFact[];
  /** What the model saw instead of stored results. */
  replacedResults: { toolUseId: string; text: string }[];
  marks: SessionMark[];
  /** The conversation that a forked sub-agent began with. */
  forkContext: Omit<ForkContextFact, "kind"> | null;
  relations: SessionRelations;
  work: SessionWork;
  warnings: Warning[];
}

export function emptyFacts(): Facts {
  return {
    records: 0,
    otherRecords: 0,
    brokenLines: 0,
    startedAt: null,
    endedAt: null,
    firstCwd: null,
    lastCwd: null,
    gitBranch: null,
    slug: null,
    versions: [],
    forkedFrom: null,
    recordedBy: null,
    customTitle: null,
    aiTitle: null,
    tag: null,
    summaries: [],
    lastPrompt: null,
    leafHint: null,
    reportedCostUsd: null,
    pullRequests: [],
    queue: [],
    compactions: [],
    replacedResults: [],
    marks: [],
    forkContext: null,
    relations: emptyRelations(),
    work: emptyWork(),
    warnings: [],
  };
}

/** Adds one record. The caller skips repeated lines. */
export function collectFacts(facts: Facts, record: LogRecord): void {
  if (record.kind === "broken") {
    facts.brokenLines += 1;
    const code = record.isTruncatedTail ? "truncated-last-line" : "broken-line";
    facts.warnings.push({ line: record.line, code, message: record.reason });
    return;
  }
  if (record.length > MAX_WHOLE_LINE_BYTES) {
    const message = `the line has ${Math.round(record.length / 1e6)} MB: its long texts are cut`;
    facts.warnings.push({ line: record.line, code: "oversized-line", message });
  }
  if (record.kind === "other") facts.otherRecords += 1;
  observeEnvelope(facts, record);
  observeRelations(facts.relations, record);
  if (record.kind === "user" || record.kind === "assistant") {
    const at = record.timestamp ?? null;
    for (const opened of observeWork(facts.work, record)) observePullRequest(facts, opened, at);
  }
  if (record.kind === "side") observeSide(facts, record);
  if (record.kind === "system") observeCompaction(facts, record);
}

type Readable = Exclude<LogRecord, { kind: "broken" }>;

function observeEnvelope(facts: Facts, record: Readable): void {
  observeTime(facts, record.timestamp);
  if (record.cwd) {
    facts.firstCwd ??= record.cwd;
    facts.lastCwd = record.cwd;
  }
  if (record.gitBranch) facts.gitBranch = record.gitBranch;
  if (record.slug) facts.slug = record.slug;
  if (record.version && !facts.versions.includes(record.version)) facts.versions.push(record.version);
  if (record.forkedFrom) facts.forkedFrom = record.forkedFrom;
  if (record.recordedBy) facts.recordedBy = { ...record.recordedBy, version: record.recordedBy.version ?? null };
}

function observeTime(facts: Facts, timestamp: string | undefined): void {
  if (timestamp === undefined) return;
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) return;
  if (facts.startedAt === null || time < Date.parse(facts.startedAt)) facts.startedAt = timestamp;
  if (facts.endedAt === null || time > Date.parse(facts.endedAt)) facts.endedAt = timestamp;
}

function observeSide(facts: Facts, { fact, line, timestamp }: SideRecord): void {
  const at = timestamp ?? null;
  switch (fact.kind) {
    case "customTitle":
    case "aiTitle":
    case "tag":
      facts[fact.kind] = fact.text;
      break;
    case "summary":
      facts.summaries.push({ text: fact.text, leafUuid: fact.leafUuid });
      break;
    case "lastPrompt":
      facts.lastPrompt = fact.text ?? facts.lastPrompt;
      facts.leafHint = { uuid: fact.leafUuid, line, isExplicit: fact.isExplicit };
      break;
    case "cost":
      facts.reportedCostUsd = fact.usd;
      break;
    case "pullRequest":
      observePullRequest(facts, fact, at);
      break;
    case "queue":
      facts.queue.push({ operation: fact.operation, content: fact.content, line, at });
      break;
    case "forkContext":
      facts.forkContext ??= { sessionId: fact.sessionId, lastUuid: fact.lastUuid, length: fact.length };
      break;
    case "continuedIn":
    case "derivedFrom":
      break;
    case "mark":
      if (!isSameMark(facts.marks.at(-1), fact)) facts.marks.push({ type: fact.type, mode: fact.mode, line, at });
      break;
    case "replacements":
      for (const replacement of fact.results) facts.replacedResults.push(replacement);
      break;
    case "nothing":
      break;
    default:
      fact satisfies never;
  }
}

/** Claude Code writes its state again after each 32 KB. */
function isSameMark(last: SessionMark | undefined, { type, mode }: Pick<SessionMark, "type" | "mode">): boolean {
  return last?.type === type && last.mode === mode;
}

function observePullRequest(
  facts: Facts,
  { number, url, repository }: Omit<PullRequestFact, "kind">,
  at: string | null,
): void {
  const known = knownPullRequests(facts);
  const key = JSON.stringify([url, number]);
  if (known.has(key)) return;
  known.add(key);
  facts.pullRequests.push({ number, url, repository, at });
}

/** Beside the facts, which are JSON. */
const pullRequestKeys = new WeakMap<Facts, Set<string>>();

function knownPullRequests(facts: Facts): Set<string> {
  const known =
    pullRequestKeys.get(facts) ?? new Set(facts.pullRequests.map(({ url, number }) => JSON.stringify([url, number])));
  pullRequestKeys.set(facts, known);
  return known;
}

function observeCompaction(facts: Facts, record: SystemRecord): void {
  if (record.subtype !== "compact_boundary") return;
  const { trigger, preTokens, postTokens, preserved } = record.compaction ?? {};
  facts.compactions.push({
    line: record.line,
    at: record.timestamp ?? null,
    trigger,
    preTokens,
    postTokens,
    preserved,
  });
}
