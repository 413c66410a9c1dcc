import { statSync } from "node:fs";
import { cursorAt, isCursorValid } from "../../format/identity/follow-file.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { KnownAgent, Trace } from "../observe/observation.js";
import { spanIdOf } from "../observe/span-ids.js";
import { type TracedTurn, type TraceOptions, type TurnPosition, traceSession } from "../observe/trace-session.js";
import { makeSpans, type SpanSettings } from "../spans/make-spans.js";
import { prepareContent } from "../spans/prepare-content.js";
import type { OtlpSpan } from "../spans/to-spans.js";
import type { Outbox, Progress, StoredSpan, TargetTrace } from "./outbox.js";
import type { Target } from "./target.js";

export interface StoreOptions extends TraceOptions {
  readonly receivers: readonly Receiver[];
  readonly redactor: Redactor | null;
  /** Only turns that began at this time (ms since the epoch) or later. */
  readonly since?: number | undefined;
}

export interface StoredSession {
  readonly spans: number; // that were new
  /** The last turn may still change, so it was not stored. */
  readonly isOpen: boolean;
}

/** Puts the new, final turns of a session into the outbox and records how far it was read. */
export function storeSession(
  path: string,
  outbox: Outbox,
  options: Omit<StoreOptions, "from" | "knownAgents" | "since">,
): StoredSession {
  const endedSize = options.state?.kind === "ended" ? statSync(path).size : null;
  const intake = openOutboxWriter(outbox);
  const known = { from: knownPosition(path, outbox), knownAgents: outbox.agentsOf(path) };
  const { resume, isOpen } = storeTurns(path, intake, { ...options, ...known });
  intake.flush(resume && { path, cursor: cursorAt(path, resume), number: resume.number, endedSize });
  return { spans: intake.newSpans(), isOpen };
}

interface StoredTurns {
  readonly turns: number;
  readonly isOpen: boolean;
  /** Where to continue when the session has grown: the first turn that may still change, else the last one. */
  readonly resume: TurnPosition | undefined;
}

/** Puts the final turns of a session into the outbox; the caller flushes. */
export function storeTurns(path: string, intake: OutboxWriter, options: StoreOptions): StoredTurns {
  const { receivers, redactor, since = Number.NEGATIVE_INFINITY } = options;
  let turns = 0;
  let firstOpen: TurnPosition | undefined;
  let last: TurnPosition | undefined;
  let isOpen = false;
  const keepsConversation = receivers.some(({ input }) => input === "full");
  for (const turn of traceSession(path, { ...options, keepsConversation })) {
    if (turn.position) {
      last = turn.position;
      isOpen = !turn.isFinal;
      if (isOpen) firstOpen ??= turn.position;
    }
    if (!turn.isFinal || (turn.trace.observations[0]?.startMs ?? 0) < since) continue;
    turns += 1;
    intake.add(toTargetTraces(turn, path, receivers, redactor));
  }
  return { turns, isOpen, resume: firstOpen ?? last };
}

/** Undefined if the file is new, or was replaced or truncated. Spans that were sent are still recognized by their ids. */
function knownPosition(path: string, outbox: Outbox): TurnPosition | undefined {
  const progress = outbox.progressOf(path);
  if (!progress || !isCursorValid(path, progress.cursor)) return undefined;
  const { offset, line } = progress.cursor;
  return { offset, line, number: progress.number };
}

/** Writes to the outbox in portions: one disk sync per turn would take longer than everything else. */
interface OutboxWriter {
  add(parcels: readonly TargetTrace[]): void;
  flush(progress?: Progress): void;
  /** Spans that were new to some target, of all that was flushed. */
  newSpans(): number;
  /** Bytes that were flushed. */
  storedBytes(): number;
}

const PORTION_BYTES = 4_000_000;

export function openOutboxWriter(outbox: Outbox): OutboxWriter {
  let waiting: TargetTrace[] = [];
  let waitingBytes = 0;
  let storedBytes = 0;
  let newSpans = 0;

  function flush(progress?: Progress): void {
    newSpans += outbox.store(waiting, progress);
    storedBytes += waitingBytes;
    waiting = [];
    waitingBytes = 0;
  }

  return {
    add: (parcels) => {
      for (const parcel of parcels) {
        waiting.push(parcel);
        waitingBytes += parcel.spans.reduce((sum, { json }) => sum + json.length, 0);
      }
      if (waitingBytes >= PORTION_BYTES) flush();
    },
    flush,
    newSpans: () => newSpans,
    storedBytes: () => storedBytes,
  };
}

export type Receiver = Pick<Target, "name"> & SpanSettings;

/** A turn in the form each target wants, redacted. */
function toTargetTraces(
  { trace, agents }: Pick<TracedTurn, "trace" | "agents">,
  session: string,
  receivers: readonly Receiver[],
  redactor: Redactor | null,
): TargetTrace[] {
  const made = new Map<string, StoredSpan[]>();
  const known = agents.filter(({ isInline }) => !isInline).map((agent) => toKnown(agent, trace, redactor));
  return receivers.map((receiver) => {
    const { attributes, content, input, traceIds, userId, metadata } = receiver;
    const key = JSON.stringify({ attributes, content, input, traceIds, userId, metadata });
    const spans = made.get(key) ?? toStored(makeSpans(trace, receiver, redactor), trace);
    made.set(key, spans);
    return { target: receiver.name, session, spans, agents: known };
  });
}

function toStored(spans: readonly OtlpSpan[], { observations }: Trace): StoredSpan[] {
  return spans.map((span, at) => ({
    spanId: span.spanId,
    kind: observations[at]?.kind ?? "turn",
    json: JSON.stringify(span),
  }));
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
