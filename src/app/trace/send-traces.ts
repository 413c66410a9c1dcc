import { UserError } from "../../errors.js";
import { LIVE_WINDOW_MS } from "../../library/activity.js";
import { listSessions } from "../../library/catalog/list-sessions.js";
import type { FoundSession } from "../../library/found-session.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { formatCount } from "../../render/format-values.js";
import { isSwitchedOff, type SwitchedOff } from "../../trace/hook/off-projects.js";
import type { Trace } from "../../trace/observe/observation.js";
import { traceSession } from "../../trace/observe/trace-session.js";
import { type ParentSpan, parseTraceParent } from "../../trace/outbox/attach.js";
import type { SendReport } from "../../trace/outbox/send-queue.js";
import {
  type SendSessionsOptions,
  type SentSessions,
  type SessionToTrace,
  sendSessions,
} from "../../trace/outbox/send-sessions.js";
import type { Target } from "../../trace/outbox/target.js";
import { shapeTrace } from "../../trace/spans/make-spans.js";
import { chooseSession } from "../choose-session.js";
import { type FilterOptions, toFilter } from "../filter-options.js";
import { loadOptions } from "../load-options.js";
import { exportRedactors, type RedactionOptions } from "../redaction.js";
import { type RootOptions, sessionRoots } from "../session-roots.js";
import type { Environment } from "../settings.js";
import { warnAboutSkipped } from "../skipped-files.js";
import { limitHeapGrowth } from "../small-heap.js";
import {
  readPreviewTarget,
  readTraceSettings,
  requireTarget,
  type SpanChoices,
  withChoices,
} from "./trace-settings.js";

/** Which turns to trace, and what their spans contain. */
export interface TraceRequest extends FilterOptions, RedactionOptions, RootOptions {
  /** One session by name; else those that the filters select. */
  readonly session?: string | undefined;
  readonly all?: boolean;
  /** Of a preview or a file: the target as which it is made. */
  readonly target?: string | undefined;
  readonly choices?: SpanChoices;
  /** Turns become children of the span that TRACEPARENT names. */
  readonly attach?: boolean;
}

/** Turns to be previewed, written to a file, or sent. */
export interface PreparedTraces {
  readonly sessions: Iterable<SessionToTrace>;
  readonly roots: readonly string[];
  /** Only turns that began at this time (ms since the epoch) or later. */
  readonly since: number | undefined;
  /** Every turn of the sessions is meant. */
  readonly isWhole: boolean;
  readonly choices: SpanChoices;
  /** As which target a preview or a file is made. */
  readonly preview: Target;
  /** The span of which turns become children. */
  readonly parent: ParentSpan | undefined;
  /** Null: nothing is redacted. */
  readonly createRedactor: () => Redactor | null;
}

export async function prepareTraces(request: TraceRequest, environment: Environment): Promise<PreparedTraces> {
  limitHeapGrowth();
  const roots = await sessionRoots(environment, request);
  const load = await loadOptions(environment);
  const { session: name, attach = false } = request;
  const parent = attach ? parseTraceParent(environment.env["TRACEPARENT"]) : undefined;
  if (attach && !parent) throw NO_PARENT();
  const found =
    name === undefined
      ? findMany(roots, request, load, environment)
      : [findOne(name, roots, request, load, environment)];
  const createRedactor = await exportRedactors(request, environment);
  return {
    sessions: toTrace(found, load),
    roots,
    since: toFilter(request).since,
    isWhole: toFilter(request).since === undefined,
    choices: request.choices ?? {},
    preview: await readPreviewTarget(request.target, request.choices ?? {}, environment),
    parent,
    createRedactor: () => (request.redact ? createRedactor() : null),
  };
}

function findOne(
  name: string,
  roots: readonly string[],
  request: TraceRequest,
  load: LoadOptions,
  environment: Environment,
): FoundSession {
  const { since: _since, ...filters } = toFilter(request);
  if (request.all || Object.keys(filters).length > 0) {
    throw new UserError("usage", "a session name and filters cannot be combined", "remove the name, or the filters");
  }
  return chooseSession(name, roots, environment, load);
}

function findMany(
  roots: readonly string[],
  request: TraceRequest,
  load: LoadOptions,
  environment: Environment,
): FoundSession[] {
  const { since, ...filters } = toFilter(request);
  const isFiltered = Object.keys(filters).length > 0;
  if (!request.all && !isFiltered && since === undefined) {
    const hint = "for example `turnlog trace send last`, or `--all --since 30d`";
    throw new UserError("usage", "no session given", hint);
  }
  const { sessions, problems } = findSessions(roots, load);
  warnAboutSkipped(problems, environment);
  const recent = sessions.filter(({ mtimeMs }) => since === undefined || mtimeMs >= since);
  if (!isFiltered) return recent;
  const chosen = new Set(listSessions(roots, toFilter(request), load).sessions.map(({ path }) => path));
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

/** A turn as it would be sent. */
export interface PreviewedTurn {
  readonly path: string;
  readonly trace: Trace;
  /** False: the turn may still change, so it is not sent yet. */
  readonly isFinal: boolean;
}

/** What would be sent, without storing or sending anything. */
export function* previewTraces(prepared: PreparedTraces): Generator<PreviewedTurn> {
  const { preview } = prepared;
  for (const { path, trace, isFinal, redactor } of readPrepared(prepared)) {
    yield { path, trace: shapeTrace(trace, preview, redactor), isFinal };
  }
}

interface PreparedTurn extends PreviewedTurn {
  readonly redactor: Redactor | null;
}

/** The turns as they are in the sessions: nothing is taken out yet. */
export function* readPrepared(prepared: PreparedTraces): Generator<PreparedTurn> {
  const { sessions, since = Number.NEGATIVE_INFINITY, preview } = prepared;
  const { userId } = preview;
  for (const { path, options } of sessions) {
    const redactor = prepared.createRedactor();
    const read = { ...options, userId: userId ?? undefined, keepsConversation: preview.input === "full" };
    for (const { trace, isFinal } of traceSession(path, read)) {
      if ((trace.observations[0]?.startMs ?? 0) >= since) yield { path, trace, isFinal, redactor };
    }
  }
}

export interface SendTracesOptions extends Pick<SendSessionsOptions, "onStored" | "onSent" | "which" | "until"> {
  /** The name of one target; else all. */
  readonly target?: string | undefined;
}

/** Stores and sends the turns that the targets do not have yet. What cannot be sent now waits in the outbox. */
export async function sendTraces(
  { sessions, since, isWhole, choices: named, createRedactor, parent }: PreparedTraces,
  { target: name, ...callbacks }: SendTracesOptions,
  environment: Environment,
): Promise<SentSessions> {
  const settings = await readTraceSettings(environment, name);
  requireTarget(settings);
  const targets = settings.targets.map((target) => ({
    ...withChoices(target, named, settings.dir),
    attach: parent !== undefined,
  }));
  const choices = { targets, since, createRedactor, parent, isWhole: isWhole && name === undefined };
  return sendSessions(traced(sessions, settings.switchedOff, environment), { ...settings, ...callbacks, ...choices });
}

/** Without those of projects for which tracing is off. */
function* traced(
  sessions: Iterable<SessionToTrace>,
  switchedOff: SwitchedOff,
  environment: Environment,
): Generator<SessionToTrace> {
  let left = 0;
  for (const session of sessions) {
    if (isSwitchedOff(switchedOff, session.path)) left += 1;
    else yield session;
  }
  if (left > 0) environment.warn(`tracing is off for the project of ${formatCount(left, "session")} (\`trace on\`)`);
}

const NO_PARENT = () =>
  new UserError("usage", "TRACEPARENT names no span", "it must be like 00-<32 hex digits>-<16 hex digits>-01");

export function isAllSent(reports: readonly SendReport[]): boolean {
  return reports.every(({ problem, dead }) => problem === null && dead === 0);
}
