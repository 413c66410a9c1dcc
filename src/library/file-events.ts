import { readFileSync } from "node:fs";
import { type FileBackup, isFileHistory, toFileBackups } from "../format/file-backups.js";
import { toFileCall } from "../format/file-call.js";
import { configRootOf, fileBackupPath, sessionPaths } from "../format/layout.js";
import type { Place } from "../format/record.js";
import { readRecords, readRecordsAt } from "../format/record-reader.js";
import { resolvePath } from "../session/file-path.js";
import type { FileEvent } from "../session/fold-file.js";
import { listAt } from "../session/list-at.js";
import { readSiteCall, turnFinder } from "./file-sites.js";
import type { ListedCommand, ListedTouch, SessionFiles } from "./session-files.js";

interface TimedEvent {
  readonly time: number; // ms since the epoch
  read(): FileEvent | undefined;
}

/** Gives all that is known about a file, one content in memory at a time. */
export function fileEventReader(files: SessionFiles): (path: string) => Generator<FileEvent> {
  const byPath = new Map<string, TimedEvent[]>();
  for (const backup of listBackups(files)) listAt(byPath, backup.path).push(backup);
  for (const touch of files.touches) listAt(byPath, touch.path).push(touchEvent(touch));
  return function* (path) {
    const events = [
      ...(byPath.get(path) ?? []),
      ...files.commands.filter((change) => concerns(change, path)).map(commandEvent),
    ].sort((a, b) => a.time - b.time);
    for (const event of events) {
      const read = event.read();
      if (read) yield read;
    }
  };
}

function touchEvent(touch: ListedTouch): TimedEvent {
  const { site, kind, status } = touch;
  const { turn, time } = site;
  const isUnsure = kind !== "read" && (status === "orphan" || status === "interrupted");
  const read = (): FileEvent | undefined => {
    if (isUnsure) return { kind: "doubt", turn, reason: `what became of a change in turn ${turn} is not recorded` };
    const found = status === "ok" ? readSiteCall(site, "whole") : undefined;
    const call = found && toFileCall(found.call);
    return call && { kind: "call", turn, call };
  };
  return { time, read };
}

/** A folder concerns all that is in it. */
function concerns({ path, to }: ListedCommand, file: string): boolean {
  return [path, to].some((place) => place !== null && (file === place || file.startsWith(`${place}/`)));
}

function commandEvent({ site: { turn, time }, kind }: ListedCommand): TimedEvent {
  return { time, read: () => ({ kind: "doubt", turn, reason: `a command in turn ${turn} perhaps ${kind} it` }) };
}

/** Only those of the shown branch, each where it was taken. */
function listBackups({ session, cwd }: SessionFiles): (TimedEvent & { readonly path: string })[] {
  const uuids = new Set(session.outline.active.map(({ uuid }) => uuid));
  const turnAt = turnFinder(session.outline);
  const known = new Set<string>();
  const events: (TimedEvent & { readonly path: string })[] = [];
  for (const backup of readBackups(session.path)) {
    const time = Date.parse(backup.time ?? "");
    const key = JSON.stringify([backup.path, backup.copy, backup.time]);
    if (Number.isNaN(time) || known.has(key) || !uuids.has(backup.messageId ?? "")) continue;
    known.add(key);
    const turn = turnAt(time) ?? 0;
    const path = resolvePath(backup.path, cwd);
    events.push({ path, time, read: () => toSeen(backup, turn, session.path) });
  }
  return events;
}

function* readBackups(transcript: string): Generator<FileBackup> {
  const places: Place[] = [];
  for (const record of readRecords(transcript, { abridge: true })) {
    if (isFileHistory(record)) places.push({ line: record.line, offset: record.offset, length: record.length });
  }
  for (const record of readRecordsAt(transcript, places)) yield* toFileBackups(record);
}

function toSeen({ copy, isAtPrompt }: FileBackup, turn: number, transcript: string): FileEvent | undefined {
  const content = copy === null ? null : readCopy(transcript, copy);
  return content === undefined ? undefined : { kind: "seen", turn, content, isAtPrompt };
}

/** Undefined where the copy is gone, or is no text. */
function readCopy(transcript: string, copy: string): string | undefined {
  const path = fileBackupPath(configRootOf(transcript), sessionPaths(transcript).id, copy);
  try {
    return path && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    return undefined;
  }
}
