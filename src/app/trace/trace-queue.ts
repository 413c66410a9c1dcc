import { formatBytes, formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { readSpool } from "../../trace/hook/spool.js";
import { type Count, type Outbox, withOutbox } from "../../trace/outbox/outbox.js";
import type { SendReport } from "../../trace/outbox/send-queue.js";
import { sendQueued } from "../../trace/outbox/send-sessions.js";
import type { Io } from "../io.js";
import { readTraceSettings, refuseWithoutTarget } from "./trace-settings.js";

export interface QueueOptions {
  readonly target?: string;
  readonly queued?: boolean;
  readonly repeat?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Tells on a terminal how far it is. */
export function sendingProgress(io: Io): { onSent(target: string, spans: number): void; end(): void } {
  let sent = 0;
  return {
    onSent: (_, spans) => {
      sent += spans;
      if (io.isTerminal) io.stderr(`\r${sent} spans sent`);
    },
    end: () => {
      if (io.isTerminal && sent > 0) io.stderr("\r\u001b[K");
    },
  };
}

export async function writeSendReports(
  reports: readonly SendReport[],
  stored: object,
  { json }: QueueOptions,
  io: Io,
): Promise<void> {
  if (json) return void (await io.stdout(`${JSON.stringify({ ...stored, targets: reports }, null, 2)}\n`));
  for (const report of reports) await io.stdout(neutralize(`${describeReport(report)}\n`));
}

function describeReport({ target, sent, dead, problem }: SendReport): string {
  const refused = dead === 0 ? "" : `, ${dead} refused (\`turnlog trace status\` tells why)`;
  const waits = problem === null ? "" : `; the rest waits: ${problem}`;
  return `${target}: ${formatCount(sent, "span")} sent${refused}${waits}`;
}

export async function retryTraces({ target, repeat }: QueueOptions, io: Io): Promise<boolean> {
  const settings = await readTraceSettings(io, target);
  refuseWithoutTarget(settings);
  return withOutbox(settings.dir, async (outbox) => {
    outbox.revive(target, { repeatsPartly: repeat ?? false });
    const progress = sendingProgress(io);
    const reports = await sendQueued(outbox, { ...settings, onSent: progress.onSent }).finally(progress.end);
    await writeSendReports(reports, {}, {}, io);
    return reports.every(({ problem, dead }) => problem === null && dead === 0);
  });
}

export async function dropTraces({ target, queued, yes }: QueueOptions, io: Io): Promise<void> {
  const { dir } = await readTraceSettings(io, target);
  await withOutbox(dir, async (outbox) => {
    const states = queued ? ["dead", "queued"] : ["dead"];
    const counts = outbox.counts().filter((count) => states.includes(count.state) && isOf(count.target, target));
    const spans = counts.reduce((sum, count) => sum + count.spans, 0);
    if (yes) outbox.drop(target, queued ? "all" : "dead");
    const verdict = yes ? "dropped" : "would be dropped; --yes does it";
    await io.stdout(`${formatCount(spans, "span")} ${verdict}\n`);
  });
}

function isOf(name: string, target: string | undefined): boolean {
  return target === undefined || name === target;
}

export async function showTraceStatus({ json }: QueueOptions, io: Io): Promise<void> {
  const { dir, targets } = await readTraceSettings(io);
  const status = await withOutbox(dir, (outbox) => {
    const counts = outbox.counts();
    const names = [...new Set([...targets.map(({ name }) => name), ...counts.map(({ target }) => target)])];
    return names.map((name) => describeTarget(name, targets.find((it) => it.name === name)?.url ?? null, outbox));
  });
  const events = readSpool(dir).length;
  if (json) return void (await io.stdout(`${JSON.stringify({ targets: status, events }, null, 2)}\n`));
  if (status.length === 0) io.stderr("there is no trace target (`turnlog trace install` adds one)\n");
  for (const target of status) await io.stdout(neutralize(paintTarget(target)));
  if (events > 0) await io.stdout(`${formatCount(events, "event")} of hooks not looked at yet\n`);
}

interface TargetStatus {
  readonly name: string;
  readonly url: string | null; // null: not a target any more
  readonly sent: number; // spans
  readonly queued: number;
  readonly queuedBytes: number;
  readonly refused: readonly Refused[];
  readonly dropped: number;
  readonly lastSuccess: string | null;
  readonly lastFailure: string | null;
  readonly lastReason: string | null;
  readonly nextAttempt: string | null;
}

interface Refused {
  readonly reason: string;
  readonly spans: number;
  /** Some of them arrived; the receiver does not say which. */
  readonly partly: boolean;
}

function describeTarget(name: string, url: string | null, outbox: Outbox): TargetStatus {
  const counts = outbox.counts().filter(({ target }) => target === name);
  const of = (state: string) => counts.filter((count) => count.state === state);
  const spans = (state: string) => of(state).reduce((sum, count) => sum + count.spans, 0);
  const { lastSuccess, lastFailure, lastReason, nextAt } = outbox.health(name);
  return {
    name,
    url,
    sent: spans("sent"),
    queued: spans("queued"),
    queuedBytes: of("queued").reduce((sum, { bytes }) => sum + bytes, 0),
    refused: of("dead").map(toRefused),
    dropped: spans("dropped"),
    lastSuccess: toTime(lastSuccess),
    lastFailure: toTime(lastFailure),
    lastReason,
    nextAttempt: nextAt > Date.now() ? toTime(nextAt) : null,
  };
}

function toRefused({ reason, spans, isPartly }: Count): Refused {
  return { reason: reason ?? "", spans, partly: isPartly === 1 };
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function paintTarget(status: TargetStatus): string {
  const { name, url, sent, queued, queuedBytes, refused, dropped, lastSuccess, lastFailure, lastReason } = status;
  const waits = queued === 0 ? "nothing waits" : `${formatCount(queued, "span")} wait (${formatBytes(queuedBytes)})`;
  const lines = [
    `${name}  ${url ?? "(no target any more)"}`,
    `  ${formatCount(sent, "span")} sent, ${waits}`,
    ...(lastSuccess === null ? [] : [`  last success ${lastSuccess}`]),
    ...(lastFailure === null ? [] : [`  last failure ${lastFailure}: ${lastReason}`]),
    ...(status.nextAttempt === null ? [] : [`  next attempt ${status.nextAttempt}`]),
    ...refused.map((it) => `  ${describeRefused(it)}`),
    ...(dropped === 0 ? [] : [`  ${formatCount(dropped, "span")} dropped`]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeRefused({ reason, spans, partly }: Refused): string {
  if (!partly) return `${formatCount(spans, "span")} refused: ${reason} (\`turnlog trace retry\`)`;
  return `${formatCount(spans, "span")} refused in part: ${reason} (\`turnlog trace retry --repeat\` sends all of them again)`;
}
