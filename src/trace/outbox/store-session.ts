import { statSync } from "node:fs";
import { isCursorValid, isPlaceKept, placeAt } from "../../format/identity/follow-file.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { KnownAgent, Trace } from "../observe/observation.js";
import { spanIdOf } from "../observe/span-ids.js";
import { type TracedTurn, type TraceOptions, type TurnPosition, traceSession } from "../observe/trace-session.js";
import { makeMetrics, makeSpans, type SpanSettings } from "../spans/make-spans.js";
import { prepareContent } from "../spans/prepare-content.js";
import type { OtlpSpan } from "../spans/to-spans.js";
import { attachSpans, type ParentSpan } from "./attach.js";
import type { Outbox, Progress, StoredSpan, StoreOptions, TargetTrace } from "./outbox.js";
import type { Target } from "./target.js";

export interface StoreTurnsOptions extends TraceOptions {
  readonly receivers: readonly Receiver[];
  readonly redactor: Redactor | null;
  /** Only turns that began at this time (ms since the epoch) or later. */
  readonly since?: number | undefined;
  /** Only turns that began before this time. */
  readonly until?: number | undefined;
  /** The span to which targets that want so attach the turns. */
  readonly parent?: ParentSpan | undefined;
  /** Tracing is off: what ended is noted as given up. */
  readonly isOff?: boolean;
}

export interface StoredSession {
  readonly spans: number; // that were new
  /** The last turn may still change, so it was not stored. */
  readonly isOpen: boolean;
}

type StoreSessionOptions = Omit<StoreTurnsOptions, "from" | "knownAgents" | "since" | "until">;

/** Puts the new, final turns of a session into the outbox and records how far it was read. */
export function storeSession(path: string, outbox: Outbox, options: StoreSessionOptions): StoredSession {
  const endedSize = options.state?.kind === "ended" ? statSync(path).size : null;
  const intake = openOutboxWriter(outbox, options.isOff ? "none" : "newest");
  const known = { from: knownPosition(path, outbox), knownAgents: outbox.agentsOf(path) };
  const told = storeTurns(path, intake, { ...options, ...known });
  if (told.resume) intake.reach({ ...progressAt(path, told, null), endedSize });
  intake.flush();
  return { spans: intake.newSpans(), isOpen: told.isOpen };
}

/** `endedSize`: of the file, before it was read. */
export function progressAt(path: string, { resume, isOpen }: StoredTurns, endedSize: number | null): Progress {
  const from = resume ?? { offset: 0, line: 1, number: 1 };
  return { path, cursor: placeAt(path, from), number: from.number, endedSize: isOpen ? null : endedSize };
}

interface StoredTurns {
  readonly turns: number;
  readonly isOpen: boolean;
  /** Where to continue when the session has grown: the first turn that may still change, else the last one. */
  readonly resume: TurnPosition | undefined;
}

/** Puts the final turns of a session into the outbox; the caller flushes. */
export function storeTurns(path: string, intake: OutboxWriter, options: StoreTurnsOptions): StoredTurns {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = options;
  let turns = 0;
  let firstOpen: TurnPosition | undefined;
  let last: TurnPosition | undefined;
  let isOpen = false;
  const keepsConversation = options.receivers.some(({ input }) => input === "full");
  for (const turn of traceSession(path, { ...options, keepsConversation })) {
    if (turn.position) {
      last = turn.position;
      isOpen = !turn.isFinal;
      if (isOpen) firstOpen ??= turn.position;
    }
    const startMs = turn.trace.observations[0]?.startMs ?? 0;
    if (!turn.isFinal || startMs < since || startMs >= until) continue;
    turns += 1;
    intake.add(options.isOff ? [toGivenUp(turn, path, options)] : toTargetTraces(turn, path, options));
  }
  return { turns, isOpen, resume: firstOpen ?? last };
}

/** Undefined if the file is new, or was replaced or truncated. Spans that were sent are still recognized by their ids. */
function knownPosition(path: string, outbox: Outbox): TurnPosition | undefined {
  const progress = outbox.progressOf(path);
  if (!progress || !isKept(path, progress.cursor)) return undefined;
  const { offset, line } = progress.cursor;
  return { offset, line, number: progress.number };
}

function isKept(path: string, cursor: Progress["cursor"]): boolean {
  return "before" in cursor ? isPlaceKept(path, cursor) : isCursorValid(path, cursor);
}

/** Writes to the outbox in portions: one disk sync per turn would take longer than everything else. */
interface OutboxWriter {
  add(parcels: readonly TargetTrace[]): void;
  /** How far a session was read, once what was added is stored. */
  reach(progress: Progress): void;
  flush(): void;
  /** Spans that were new to some target, of all that was flushed. */
  newSpans(): number;
  /** Bytes that were flushed. */
  storedBytes(): number;
}

const PORTION_BYTES = 4_000_000;

/** `none`: nothing is sent; what is new is noted as given up. */
export function openOutboxWriter(outbox: Outbox, which: StoreOptions["which"] | "none" = "new"): OutboxWriter {
  let waiting: TargetTrace[] = [];
  let progress: Progress[] = [];
  let waitingBytes = 0;
  let storedBytes = 0;
  let newSpans = 0;

  function flush(): void {
    if (which === "none") outbox.giveUp(waiting, progress);
    else newSpans += outbox.store(waiting, { progress, which });
    storedBytes += waitingBytes;
    [waiting, progress, waitingBytes] = [[], [], 0];
  }

  return {
    add: (parcels) => {
      for (const parcel of parcels) {
        waiting.push(parcel);
        waitingBytes += parcel.spans.reduce((sum, { json }) => sum + json.length, 0);
      }
      if (waitingBytes >= PORTION_BYTES) flush();
    },
    reach: (reached) => {
      progress.push(reached);
    },
    flush,
    newSpans: () => newSpans,
    storedBytes: () => storedBytes,
  };
}

export interface Receiver extends SpanSettings, Pick<Target, "name" | "attach" | "metrics"> {
  readonly ledger: string;
}

/** The targets with the ledgers in which they are kept. */
export function toReceivers(outbox: Outbox, targets: readonly Target[]): (Target & Receiver)[] {
  return targets.map((target) => ({ ...target, ledger: outbox.ledgerOf(target) }));
}

/** Only its ids. */
function toGivenUp(turn: TurnWithAgents, session: string, { redactor }: StoreTurnsOptions): TargetTrace {
  const spans = turn.trace.observations.map(({ spanId, kind }) => ({ spanId, kind, json: "" }));
  return { ledger: "", session, spans, agents: knownAgents(turn, redactor) };
}

type TurnWithAgents = Pick<TracedTurn, "trace" | "agents">;

/** A turn in the form each target wants, redacted. */
function toTargetTraces(
  turn: TurnWithAgents,
  session: string,
  { receivers, redactor, parent }: StoreTurnsOptions,
): TargetTrace[] {
  const { trace } = turn;
  const made = new Map<string, StoredSpan[]>();
  const known = knownAgents(turn, redactor);
  return receivers.map((receiver) => {
    const { ledger, attributes, content, input, traceIds, userId, metadata, attach, metrics } = receiver;
    const key = JSON.stringify({ attributes, content, input, traceIds, userId, metadata, attach, metrics });
    const spans = made.get(key) ?? toParcel(trace, receiver, redactor, parent);
    made.set(key, spans);
    return { ledger, session, spans, agents: known };
  });
}

function toParcel(
  trace: Trace,
  receiver: Receiver,
  redactor: Redactor | null,
  parent: ParentSpan | undefined,
): StoredSpan[] {
  const spans = makeSpans(trace, receiver, redactor);
  const stored = toStored(receiver.attach && parent ? attachSpans(spans, parent) : spans, trace);
  const points = receiver.metrics ? makeMetrics(trace, receiver, redactor) : [];
  return [
    ...stored,
    ...points.map((point) => ({ spanId: point.id, kind: "point" as const, json: JSON.stringify(point) })),
  ];
}

function toStored(spans: readonly OtlpSpan[], { observations }: Trace): StoredSpan[] {
  return spans.map((span, at) => ({
    spanId: span.spanId,
    kind: observations[at]?.kind ?? "turn",
    json: JSON.stringify(span),
  }));
}

function knownAgents({ agents, trace }: TurnWithAgents, redactor: Redactor | null): KnownAgent[] {
  return agents.filter(({ isInline }) => !isInline).map((agent) => toKnown(agent, trace, redactor));
}

/** Stored until more is sent, so without secrets. */
function toKnown({ agentId, size }: TracedTurn["agents"][number], trace: Trace, redactor: Redactor | null): KnownAgent {
  const spanId = spanIdOf("agent", agentId);
  const launched = trace.observations.find((observation) => observation.spanId === spanId);
  const { observations: _all, ...header } = prepareContent(
    { ...trace, observations: [] },
    { content: "all", redactor },
  );
  return { agentId, size, parentSpanId: launched?.parentSpanId ?? null, trace: header };
}
