import { UserError } from "../../errors.js";
import { LIVE_WINDOW_MS } from "../../library/activity.js";
import type { FoundSession } from "../../library/found-session.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { listSessions } from "../../library/sources/list-sessions.js";
import { createRedactor, type Redactor } from "../../redact/create-redactor.js";
import { formatCount } from "../../render/format-values.js";
import { type SessionToTrace, type StoredSessions, sendSessions } from "../../trace/outbox/send-sessions.js";
import { chooseSession } from "../choose-session.js";
import { type FilterOptions, toFilter } from "../filter-options.js";
import type { Io } from "../io.js";
import { loadOptions } from "../load-options.js";
import { exportRedaction } from "../redaction.js";
import type { RedactionOptions } from "../redaction-options.js";
import { reportProblems } from "../report-problems.js";
import { type RootOptions, sessionRoots } from "../session-roots.js";
import { limitHeapGrowth } from "../small-heap.js";
import { writeTraceFile } from "./trace-file.js";
import { sendingProgress, writeSendReports } from "./trace-queue.js";
import { parseAttributes, parseContent, readTraceSettings, refuseWithoutTarget } from "./trace-settings.js";
import { writeTraceTree } from "./trace-tree.js";

export interface SendTraceOptions extends FilterOptions, RedactionOptions, RootOptions {
  readonly all?: boolean;
  readonly target?: string;
  readonly dryRun?: boolean;
  readonly file?: string;
  readonly force?: boolean;
  readonly attributes?: string;
  readonly content?: string;
  readonly json?: boolean;
}

/** False where something is left that could not be sent. */
export async function sendTraces(name: string | undefined, options: SendTraceOptions, io: Io): Promise<boolean> {
  limitHeapGrowth();
  refuseContradictions(options);
  const roots = await sessionRoots(io, options);
  const load = await loadOptions(io);
  const found = name === undefined ? findMany(roots, options, load, io) : findOne(name, roots, options, load, io);
  const redaction = await exportRedaction(options, io);
  const makeRedactor = () => (options.redact ? createRedactor(redaction) : null);
  const { since } = toFilter(options);
  const sessions = toTrace(found, load);
  const choices = {
    attributes: options.attributes === undefined ? undefined : parseAttributes(options.attributes),
    content: options.content === undefined ? undefined : parseContent(options.content),
  };
  if (options.dryRun) {
    await writeTraceTree(sessions, { ...choices, since, redactor: makeRedactor() }, io);
    return true;
  }
  if (options.file !== undefined) {
    const output = { path: options.file, overwrite: options.force ?? false, roots };
    await writeTraceFile(sessions, { ...choices, since, makeRedactor }, output, io);
    return true;
  }
  return storeAndSend(sessions, { ...choices, since, makeRedactor }, options, io);
}

/** A tree, a file and a target are three ways out. */
function refuseContradictions({ dryRun, file, target, json }: SendTraceOptions): void {
  const ways = { "--dry-run": dryRun, "--file": file, "--target": target };
  const [first, second] = Object.entries(ways).flatMap(([option, value]) => (value === undefined ? [] : [option]));
  if (first !== undefined && second !== undefined) {
    throw new UserError("usage", `${first} and ${second} exclude each other`, "leave one of them out");
  }
  if (json && (dryRun || file !== undefined)) {
    throw new UserError("usage", `--json tells what was sent; ${first} sends nothing`, "leave one of them out");
  }
}

function findOne(
  name: string,
  roots: readonly string[],
  options: SendTraceOptions,
  load: LoadOptions,
  io: Io,
): FoundSession[] {
  const { since: _since, ...filters } = toFilter(options);
  if (options.all || Object.keys(filters).length > 0) {
    throw new UserError("usage", "a session is named or filtered, not both", "leave out the name, or the filters");
  }
  return [chooseSession(name, roots, io, load)];
}

function findMany(roots: readonly string[], options: SendTraceOptions, load: LoadOptions, io: Io): FoundSession[] {
  const { since, ...filters } = toFilter(options);
  const isFiltered = Object.keys(filters).length > 0;
  if (!options.all && !isFiltered && since === undefined) {
    throw new UserError(
      "usage",
      "no session is named",
      "for example `turnlog trace send last`, or `--all --since 30d`",
    );
  }
  const { sessions, problems } = findSessions(roots, load);
  reportProblems(problems, io);
  const recent = sessions.filter(({ mtimeMs }) => since === undefined || mtimeMs >= since);
  if (!isFiltered) return recent;
  const chosen = new Set(listSessions(roots, toFilter(options), load).sessions.map(({ path }) => path));
  return recent.filter(({ path }) => chosen.has(path));
}

/** Oldest first, so that a fork comes after what it copies. An empty file may have sub-agents (2.0.50). */
function* toTrace(found: readonly FoundSession[], { prices }: LoadOptions): Generator<SessionToTrace> {
  for (const session of found.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    const path = session.open();
    const liveSince = Date.now() - LIVE_WINDOW_MS;
    yield { path, options: { prices, liveSince, sharedSubagents: session.sharedSubagents() } };
  }
}

interface StoreChoices {
  readonly attributes: ReturnType<typeof parseAttributes> | undefined;
  readonly content: ReturnType<typeof parseContent> | undefined;
  readonly since: number | undefined;
  readonly makeRedactor: () => Redactor | null;
}

async function storeAndSend(
  sessions: Iterable<SessionToTrace>,
  { attributes, content, since, makeRedactor }: StoreChoices,
  options: SendTraceOptions,
  io: Io,
): Promise<boolean> {
  const settings = await readTraceSettings(io, options.target);
  refuseWithoutTarget(settings);
  const targets = settings.targets.map((target) => ({
    ...target,
    attributes: attributes ?? target.attributes,
    content: content ?? target.content,
  }));
  const progress = sendingProgress(io);
  const { targets: reports, ...stored } = await sendSessions(sessions, {
    ...settings,
    targets,
    since,
    createRedactor: makeRedactor,
    onStored: (told) => io.stderr(`${describeStored(told)}\n`),
    onSent: progress.onSent,
  }).finally(progress.end);
  await writeSendReports(reports, stored, options, io);
  return reports.every(({ problem, dead }) => problem === null && dead === 0);
}

function describeStored({ sessions, turns, newSpans }: StoredSessions): string {
  return `${formatCount(sessions, "session")}, ${formatCount(turns, "turn")}: ${formatCount(newSpans, "span")} not sent before`;
}
