import { statSync } from "node:fs";
import { join } from "node:path";
import { isObject, tryParseJson } from "../../format/json.js";
import type { SessionItem } from "../../format/layout/files-of-session.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { readEdge, readSmallFile } from "../../format/layout/small-file.js";

/**
 * Claude Code deletes what has not been written to for `cleanupPeriodDays`: a few seconds after the first prompt of a process, at
 * most once a day, and not at all while its settings cannot be read (2.1.326). Times are ms since the epoch.
 */
export interface CleanupRule {
  /** Null: it does not run, since a settings file is unreadable or invalid. */
  readonly days: number | null;
  /** For sessions of the desktop app; null: they are never deleted. */
  readonly desktopDays: number | null;
  /** It does not run before: once a day at most. */
  readonly notBefore: number;
  /** The file that sets `days`, or that stops the clean-up; null for the default. */
  readonly settings: string | null;
}

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
const MAX_SETTINGS_BYTES = 16 * 1024 * 1024;

/** Settings of an organisation count before those of the user. Those of a project count only for processes that start there. */
export function readCleanupRule(configRoot: string, managed: string | null = managedSettings()): CleanupRule {
  const files = [managed, join(configRoot, "settings.json")].filter((path) => path !== null).map(readSettings);
  const invalid = files.find(({ isValid }) => !isValid);
  const chosen = files.find(({ days }) => days !== undefined);
  const desktop = files.find(({ desktopDays }) => desktopDays !== undefined)?.desktopDays ?? null;
  const lastRun = attempt(configRoot, [], () => statSync(join(configRoot, ".last-cleanup")).mtimeMs);
  return {
    days: invalid ? null : (chosen?.days ?? DEFAULT_DAYS),
    desktopDays: invalid ? null : desktop,
    notBefore: lastRun === undefined ? 0 : lastRun + DAY_MS,
    settings: invalid?.path ?? chosen?.path ?? null,
  };
}

interface CleanupSettings {
  readonly path: string;
  readonly isValid: boolean;
  readonly days?: number;
  readonly desktopDays?: number;
}

function readSettings(path: string): CleanupSettings {
  const problems: FileProblem[] = [];
  const bytes = readSmallFile(path, { maxBytes: MAX_SETTINGS_BYTES, followsLinks: true }, problems);
  if (!bytes) return { path, isValid: problems.length === 0 };
  const json = tryParseJson(bytes.toString("utf8"));
  if (!isObject(json)) return { path, isValid: bytes.toString("utf8").trim() === "" };
  const [days, desktopDays] = [json["cleanupPeriodDays"], json["desktopSessionCleanupPeriodDays"]];
  if (!isPeriod(days) || !isPeriod(desktopDays)) return { path, isValid: false };
  return {
    path,
    isValid: true,
    ...(days === undefined ? {} : { days }),
    ...(desktopDays === undefined ? {} : { desktopDays }),
  };
}

function isPeriod(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === "number" && value >= 1);
}

function managedSettings(): string | null {
  if (process.platform === "darwin") return "/Library/Application Support/ClaudeCode/managed-settings.json";
  if (process.platform === "win32") return "C:\\Program Files\\ClaudeCode\\managed-settings.json";
  return "/etc/claude-code/managed-settings.json";
}

/** When the next clean-up after it deletes a session; null: never. `mtimeMs` is that of the transcript, whatever its records say. */
export function cleanupTimeOf(
  { path, mtimeMs }: { readonly path: string; readonly mtimeMs: number },
  rule: CleanupRule,
): number | null {
  if (rule.days === null) return null;
  const isKept = isOfDesktopApp(path) && !isThere(path.replace(/\.jsonl$/, ".desktop-released.json"));
  const days = isKept ? rule.desktopDays : rule.days;
  return days === null ? null : Math.max(mtimeMs + days * DAY_MS, rule.notBefore);
}

/** No session of this age is deleted before, whatever made it. Reads nothing. */
export function earliestCleanup({ mtimeMs }: { readonly mtimeMs: number }, rule: CleanupRule): number {
  const days = Math.min(rule.days ?? Number.POSITIVE_INFINITY, rule.desktopDays ?? Number.POSITIVE_INFINITY);
  return Math.max(mtimeMs + days * DAY_MS, rule.notBefore);
}

/** Part of a session that goes although the session stays. */
export interface PartialCleanup {
  readonly path: string;
  readonly at: number;
}

/**
 * What the clean-up takes from a session that lives on, earliest first: each file of tool results by its own age, and folders
 * of backups, tasks and to-dos by theirs. Sub-agents and titles stay as long as the session does.
 */
export function partialCleanups(items: readonly SessionItem[], rule: CleanupRule): PartialCleanup[] {
  const { days } = rule;
  const session = items.find(({ role }) => role === "transcript");
  const end = session ? cleanupTimeOf(session, rule) : null;
  if (days === null) return [];
  return items
    .filter(isSweptAlone)
    .map(({ path, mtimeMs }) => ({ path, at: Math.max(mtimeMs + days * DAY_MS, rule.notBefore) }))
    .filter(({ at }) => end === null || at < end)
    .sort((a, b) => a.at - b.at);
}

function isSweptAlone({ role, place, kind, name }: SessionItem): boolean {
  if (role === "toolResult") return kind === "file";
  return name === "" && ["file-history", "tasks", "todos"].includes(place);
}

const DESKTOP = new Set(["claude-desktop", "claude-desktop-3p", "local-agent"]);

function isOfDesktopApp(path: string): boolean {
  const head = attempt(path, [], () => readEdge(path, "head", HEAD_BYTES)) ?? "";
  return DESKTOP.has(/"entrypoint":"([\w-]+)"/.exec(head)?.[1] ?? "");
}

const HEAD_BYTES = 64 * 1024;

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
