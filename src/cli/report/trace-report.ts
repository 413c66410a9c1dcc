import type { TestedTarget } from "../../app/trace/test-targets.js";
import type { Flushed, QueueStatus, RefusedSpans, TargetStatus, TraceStatus } from "../../app/trace/trace-queue.js";
import { formatBytes, formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { SendReport } from "../../trace/outbox/send-queue.js";
import type { Io } from "../io.js";

/** Shows on a terminal how many spans were sent. */
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

export function describeReports(reports: readonly SendReport[]): string {
  return neutralize(reports.map((report) => `${describeReport(report)}\n`).join(""));
}

function describeReport({ target, sent, points, dead, problem }: SendReport): string {
  const refused = dead === 0 ? "" : `, ${dead} refused (see \`turnlog trace status\`)`;
  const waits = problem === null ? "" : `; the rest waits: ${problem}`;
  const metrics = points === 0 ? "" : ` and ${formatCount(points, "data point")}`;
  return `${target}: ${formatCount(sent, "span")}${metrics} sent${refused}${waits}`;
}

export function describeStatus({ targets, events, isOff, off }: TraceStatus): string {
  const pending = events > 0 ? `${formatCount(events, "hook event")} not processed yet\n` : "";
  const switched = isOff ? "tracing is off (`turnlog trace on`)\n" : "";
  const projects = off.map((folder) => `off for ${folder}\n`).join("");
  return neutralize(targets.map(describeTarget).join("") + pending + switched + projects);
}

function describeTarget(status: TargetStatus): string {
  const { name, url, problem, metrics } = status;
  const lines = [
    `${name}  ${url ?? "(no longer a target)"}`,
    ...describeQueue(status, "span"),
    ...(metrics === null ? [] : describeQueue(metrics, "data point")),
    ...(problem === null ? [] : [`  cannot be used: ${problem}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeQueue(queue: QueueStatus, what: string): string[] {
  const { sent, queued, queuedBytes, refused, dropped, lastSuccess, lastFailure, lastReason } = queue;
  const waits = queued === 0 ? "none waiting" : `${queued} waiting (${formatBytes(queuedBytes)})`;
  return [
    `  ${formatCount(sent, what)} sent, ${waits}`,
    ...(lastSuccess === null ? [] : [`  last success ${localTime(lastSuccess)}`]),
    ...(lastFailure === null ? [] : [`  last failure ${localTime(lastFailure)}: ${lastReason}`]),
    ...(queue.paused
      ? ["  paused: it refuses the key; everything waits (`turnlog trace install` replaces the key)"]
      : []),
    ...(queue.nextAttempt === null ? [] : [`  next attempt ${localTime(queue.nextAttempt)}`]),
    ...refused.map((it) => `  ${describeRefused(it, what)}`),
    ...(dropped === 0 ? [] : [`  ${formatCount(dropped, what)} dropped`]),
  ];
}

/** As clocks on the wall show it. */
function localTime(iso: string): string {
  const date = new Date(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function describeFlush({ status, events, isAllSent }: Flushed): string {
  const left = events > 0 ? `${formatCount(events, "hook event")} not processed yet\n` : "";
  return isAllSent
    ? "everything is sent\n"
    : neutralize(`not everything is sent\n${left}${status.map(describeTarget).join("")}`);
}

function describeRefused({ reason, spans, partly }: RefusedSpans, what: string): string {
  if (!partly) return `${formatCount(spans, what)} refused: ${reason} (send again: \`turnlog trace retry\`)`;
  return `${formatCount(spans, what)} refused in part: ${reason} (send all again: \`turnlog trace retry --repeat\`)`;
}

export function describeTest({ name, url, traceId, result }: TestedTarget): string {
  return neutralize(`${name}  ${url}\n  ${describeResult(result, traceId)}\n`);
}

function describeResult(result: TestedTarget["result"], traceId: string): string {
  switch (result.kind) {
    case "accepted":
      return `accepted: look for trace ${traceId}`;
    case "failed":
      return `failed: ${result.reason}`;
    case "partlyRefused":
    case "tooLarge":
    case "refused":
    case "unauthorized":
      return `refused: ${result.reason}`;
    default:
      return result satisfies never;
  }
}
