import { randomBytes } from "node:crypto";
import { appendFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readIfPresent } from "../../errors.js";
import { numberAt, stringAt, tryParseJson } from "../../format/json.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { hashText } from "../observe/span-ids.js";

/** What a Claude Code hook reported: something happened in a session. */
export interface HookEvent {
  readonly event: string; // Stop, SubagentStop, SessionStart, SessionEnd, PreCompact
  readonly transcript: string;
  readonly size: number; // of the transcript then, bytes
  /** Of the words with which the turn ended; the words themselves are not stored. */
  readonly wordsHash: string | null;
  readonly at: number; // ms since the epoch
  readonly cwd: string | null;
  /** The variable TRACEPARENT of Claude Code's environment. */
  readonly traceParent: string | null;
}

/** Those at which budgets are kept. No event is in both lists, so that one process answers each. */
export const BUDGET_EVENTS = ["UserPromptSubmit", "PreToolUse"] as const;

export interface SpooledEvent extends HookEvent {
  readonly file: string;
}

/** Parses the JSON that Claude Code passes to hooks; undefined if it is invalid or has no transcript path. */
export function parseHookInput(text: string, at: number, traceParent?: string): HookEvent | undefined {
  const input = tryParseJson(text);
  const transcript = stringAt(input, "transcript_path");
  if (!transcript) return undefined;
  const words = stringAt(input, "last_assistant_message");
  return {
    event: stringAt(input, "hook_event_name") ?? "Stop",
    transcript,
    size: statSync(transcript, { throwIfNoEntry: false })?.size ?? 0,
    wordsHash: words === undefined ? null : hashText(words),
    at,
    cwd: stringAt(input, "cwd") ?? null,
    traceParent: traceParent || null,
  };
}

/** The event is on disk when this returns. */
export function spoolEvent(dir: string, event: HookEvent): void {
  const name = `${String(event.at).padStart(15, "0")}-${process.pid}-${randomBytes(4).toString("hex")}.json`;
  atomicWrite(join(ensureDataDir(dir, "spool"), name), JSON.stringify(event));
}

/** Oldest first. Another process may handle and remove some of them meanwhile. */
export function readSpool(dir: string): SpooledEvent[] {
  const folder = ensureDataDir(dir, "spool");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => toEvent(join(folder, name)) ?? []);
}

/** Without reading them. */
export function countSpooled(dir: string): number {
  return readdirSync(ensureDataDir(dir, "spool")).filter((name) => name.endsWith(".json")).length;
}

export function removeSpooled({ file }: SpooledEvent): void {
  rmSync(file, { force: true });
}

function toEvent(file: string): SpooledEvent | undefined {
  const text = readIfPresent(file);
  if (text === undefined) return undefined;
  const json = tryParseJson(text);
  return {
    file,
    event: stringAt(json, "event") ?? "",
    transcript: stringAt(json, "transcript") ?? "",
    size: numberAt(json, "size") ?? 0,
    wordsHash: stringAt(json, "wordsHash") ?? null,
    at: numberAt(json, "at") ?? 0,
    cwd: stringAt(json, "cwd") ?? null,
    traceParent: stringAt(json, "traceParent") ?? null,
  };
}

const MAX_BYTES = 1_000_000;

/** Logs what hook and worker did, without session content. At most two files of a megabyte each. */
export function logTrace(dir: string, message: string): void {
  const path = join(ensureDataDir(dir, "log"), "trace.log");
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.1`);
  const line = message.replace(/[\r\n]+/g, " ");
  appendFileSync(path, `${new Date().toISOString()} ${process.pid} ${line}\n`, { mode: 0o600 });
}
