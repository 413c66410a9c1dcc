import type { TestedTarget } from "../../app/trace/test-targets.js";
import type { Flushed, RefusedSpans, TargetStatus, TraceStatus } from "../../app/trace/trace-queue.js";
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

function describeReport({ target, sent, dead, problem }: SendReport): string {
  const refused = dead === 0 ? "" : `, ${dead} refused (see \`turnlog trace status\`)`;
  const waits = problem === null ? "" : `; the rest waits: ${problem}`;
  return `${target}: ${formatCount(sent, "span")} sent${refused}${waits}`;
}

export function describeStatus({ targets, events, isOff, off }: TraceStatus): string {
  const pending = events > 0 ? `${formatCount(events, "hook event")} not processed yet\n` : "";
  const switched = isOff ? "tracing is off (`turnlog trace on`)\n" : "";
  const projects = off.map((folder) => `off for ${folder}\n`).join("");
  return neutralize(targets.map(describeTarget).join("") + pending + switched + projects);
}

function describeTarget(status: TargetStatus): string {
  const { name, url, sent, queued, queuedBytes, refused, dropped, lastSuccess, lastFailure, lastReason } = status;
  const waits = queued === 0 ? "none waiting" : `${queued} waiting (${formatBytes(queuedBytes)})`;
  const lines = [
    `${name}  ${url ?? "(no longer a target)"}`,
    `  ${formatCount(sent, "span")} sent, ${waits}`,
    ...(lastSuccess === null ? [] : [`  last success ${localTime(lastSuccess)}`]),
    ...(lastFailure === null ? [] : [`  last failure ${localTime(lastFailure)}: ${lastReason}`]),
    ...(status.paused
      ? ["  paused: it refuses the key; everything waits (`turnlog trace install` replaces the key)"]
      : []),
    ...(status.problem === null ? [] : [`  cannot be used: ${status.problem}`]),
    ...(status.nextAttempt === null ? [] : [`  next attempt ${localTime(status.nextAttempt)}`]),
    ...refused.map((it) => `  ${describeRefused(it)}`),
    ...(dropped === 0 ? [] : [`  ${formatCount(dropped, "span")} dropped`]),
  ];
  return `${lines.join("\n")}\n`;
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

function describeRefused({ reason, spans, partly }: RefusedSpans): string {
  if (!partly) return `${formatCount(spans, "span")} refused: ${reason} (send again: \`turnlog trace retry\`)`;
  return `${formatCount(spans, "span")} refused in part: ${reason} (send all again: \`turnlog trace retry --repeat\`)`;
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
