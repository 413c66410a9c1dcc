import type { Usage } from "../session/messages/usage.js";
import { neutralize } from "./safe-text.js";

export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** 950, 1,234,567. */
export function formatNumber(count: number): string {
  return groupDigits(String(count));
}

function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+(?!\d))/g, ",");
}

/** 950, 12.3k, 4.56M, 2.48B. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens < 1_000_000) return `${trimZero((tokens / 1000).toFixed(1))}k`;
  if (tokens < 1_000_000_000) return `${trimZero((tokens / 1_000_000).toFixed(2))}M`;
  return `${trimZero((tokens / 1_000_000_000).toFixed(2))}B`;
}

function trimZero(text: string): string {
  return text.replace(/\.0+$|(?<=\.\d*[1-9])0+$/, "");
}

export function totalTokens(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

/** Null is an unknown cost, not zero. */
export function formatCost(costUsd: number | null): string {
  if (costUsd === null) return "cost unknown";
  return costUsd > 0 && costUsd < 0.01 ? `$${costUsd.toFixed(4)}` : `$${groupDigits(costUsd.toFixed(2))}`;
}

export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${trimZero((durationMs / 1000).toFixed(1))} s`;
  const seconds = Math.round(durationMs / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${trimZero((bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1))} ${units[step]}`;
}

/** Local date and time to the minute; a text that is no date is returned as it is. */
export function formatTime(timestamp: string | null): string {
  if (timestamp === null) return "unknown time";
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return neutralize(timestamp);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The last folder of a project's path; short enough for lists. */
export function lastFolder(project: string | null): string {
  return (project === null ? undefined : LAST_FOLDER.exec(project)?.[0]) ?? "";
}

const LAST_FOLDER = /[^/\\]+(?=[/\\]*$)/;

/** The date once if both times are on the same day. */
export function formatTimeRange(start: string | null, end: string | null): string {
  const [from, to] = [formatTime(start), formatTime(end)];
  if (from === to) return from;
  const day = /^\d{4}-\d{2}-\d{2} /.exec(from)?.[0];
  return `${from} to ${day !== undefined && to.startsWith(day) ? to.slice(day.length) : to}`;
}
