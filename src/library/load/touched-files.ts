import { readFileSync } from "node:fs";
import { lastUpTo, listAt } from "../../collections.js";
import { stringAt } from "../../format/json.js";
import { configRootOf, fileBackupPath, sessionPaths } from "../../format/layout/session-paths.js";
import { readRecords, readRecordsAt } from "../../format/reader/record-reader.js";
import {
  type FileBackup,
  isFileHistory,
  isFileTool,
  type ShellGap,
  toFileBackups,
  toFileCalls,
  toShellDiff,
} from "../../format/record/file-changes.js";
import type { Place } from "../../format/record/record.js";
import { runSteps } from "../../lazy.js";
import { resolvePath } from "../../session/file-history/file-path.js";
import { type FileTouch, toFileTouches } from "../../session/file-history/file-touches.js";
import type { FileEvent } from "../../session/file-history/fold-file.js";
import { listShellChanges, type ShellChange } from "../../session/file-history/shell-changes.js";
import { bodyPlace, type Node } from "../../session/graph/node.js";
import type { ToolStatus } from "../../session/messages/tool-status.js";
import { inlineAgents, type Outline } from "../../session/open-session.js";
import { callTurns } from "../../session/turns/outline-turns.js";
import { pairToolCalls, type ToolCall } from "../../session/turns/tool-calls.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { type LoadedSession, loadSession } from "./load-session.js";

export interface ListedTouch extends FileTouch {
  readonly site: FileSite;
}

/** What a shell command may have done to files. */
interface ListedCommand extends ShellChange {
  readonly site: FileSite;
  readonly command: string;
}

/** What a shell command changed without a record of it. */
interface ListedGap extends ShellGap {
  readonly site: FileSite;
}

/** Everything that a session and its sub-agents did with files, by time, without contents. */
export interface TouchedFiles {
  readonly session: LoadedSession;
  readonly cwd: string | null;
  readonly touches: readonly ListedTouch[];
  readonly commands: readonly ListedCommand[];
  readonly gaps: readonly ListedGap[];
  readonly shell: ShellCount;
}

/** Shell commands that ran, and those of which Claude Code recorded what they changed. */
interface ShellCount {
  readonly ran: number;
  readonly compared: number;
}

export function listTouchedFiles(session: LoadedSession): TouchedFiles {
  return runSteps(listingTouchedFiles(session));
}

/** The same, yielding after each call, so that a server can answer other requests in between. */
export function* listingTouchedFiles(session: LoadedSession): Generator<void, TouchedFiles> {
  const cwd = session.outline.facts.firstCwd;
  const touches: ListedTouch[] = [];
  const commands: ListedCommand[] = [];
  const gaps: ListedGap[] = [];
  const shell = { ran: 0, compared: 0 };
  for (const site of listFileSites(session)) {
    const found = readSiteCall(site, site.name === "Read" ? "input" : "whole");
    if (found) {
      touches.push(...toFileTouches(found.call, found.cwd ?? cwd).map((touch) => ({ ...touch, site })));
      commands.push(...commandsAt(site, found, cwd));
      const diff = toShellDiff(found.call.resultData);
      if (diff?.gap) gaps.push({ ...diff.gap, site });
      if (site.name === SHELL_TOOL && site.status !== "denied") shell.ran += 1;
      if (diff && diff.gap?.reason == null) shell.compared += 1;
    }
    yield;
  }
  return { session, cwd, touches, commands, gaps, shell };
}

/** The changes that commands may have made, as JSON. */
export function listPerhaps({ commands }: TouchedFiles) {
  return commands.map(({ kind, path, to, command, site: { turn, agentId } }) => ({
    kind,
    path,
    to,
    turn,
    agentId,
    command,
  }));
}

/** What is not recorded of the changes of commands, as JSON. */
export function listUnrecorded({ gaps }: TouchedFiles) {
  return gaps.map(({ unnamed, reason, site: { turn, agentId } }) => ({ turn, agentId, unnamed, reason }));
}

/** Commands that failed or never ran are left out. */
function commandsAt(site: FileSite, found: SiteCall, cwd: string | null): ListedCommand[] {
  if (site.name !== SHELL_TOOL || site.status === "error" || site.status === "denied") return [];
  const command = stringAt(found.call.input, "command") ?? "";
  return listShellChanges(command, found.cwd ?? cwd).map((change) => ({ ...change, site, command }));
}

/** A call that may be about files: the places of its records, its turn and time. */
export interface FileSite {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly transcript: string;
  readonly call: Place;
  readonly results: readonly Place[];
  readonly turn: number; // 0: before the first turn
  readonly agentId: string | null;
  readonly time: number; // ms since the epoch; never before that of the previous call
}

export interface SiteCall {
  readonly call: ToolCall;
  readonly cwd: string | null;
}

const SHELL_TOOL = "Bash";

/** Of the session and its sub-agents, by time. */
export function listFileSites(session: LoadedSession): FileSite[] {
  const turnAt = turnFinder(session.outline);
  const own = sitesIn({ transcript: session.path, outline: session.outline, agentId: null }, () => undefined);
  const turnOf = callTurns(session.outline);
  const others = listAgents(session).flatMap((agent) =>
    sitesIn(agent, (time) => turnAt(time) ?? turnOf.get(agent.toolUseId ?? "")),
  );
  return [...own, ...others].sort((a, b) => a.time - b.time);
}

/** The turn in progress at a time. */
function turnFinder({ turns }: Outline): (time: number) => number | undefined {
  const lastAt = lastUpTo(turns.map(({ start }) => start.time ?? 0));
  return (time) => (Number.isNaN(time) ? undefined : turns[lastAt(time)]?.index);
}

/** Reads a call with its results, or only its input; undefined where the file was truncated since. */
export function readSiteCall(
  { id, transcript, call, results, status }: FileSite,
  part: "whole" | "input",
): SiteCall | undefined {
  const records = [...readRecordsAt(transcript, part === "whole" ? [call, ...results] : [call])];
  const found = pairToolCalls(records).toolCalls.find((paired) => paired.id === id);
  if (!found) return undefined;
  const cwd = records.find((record) => record.kind === "assistant")?.cwd ?? null;
  return { call: part === "whole" ? found : { ...found, status }, cwd };
}

interface Source {
  readonly transcript: string;
  readonly outline: Outline;
  readonly agentId: string | null;
}

/** Unreadable sub-agents are skipped. */
function listAgents(session: LoadedSession): (Source & { readonly toolUseId: string | null })[] {
  const inline = new Map(inlineAgents(session.outline).map(({ agentId, outline }) => [agentId, outline]));
  return session.subagents().flatMap(({ agentId, path, toolUseId }) => {
    const own = path === session.path ? inline.get(agentId) : undefined;
    const outline = own ?? skipUnreadable(path, [], () => loadSession(path).outline);
    return outline ? [{ agentId, toolUseId, transcript: path, outline }] : [];
  });
}

function sitesIn({ transcript, outline, agentId }: Source, turnAt: (time: number) => number | undefined): FileSite[] {
  const results = new Map<string, Place[]>();
  for (const node of outline.active) {
    for (const { id } of node.results ?? []) listAt(results, id).push(bodyPlace(node));
  }
  const sites: FileSite[] = [];
  let time = Number.NEGATIVE_INFINITY;
  for (const { turn, node, id, name } of fileCalls(outline)) {
    const sketch = outline.calls.get(id);
    time = Math.max(time, sketch?.endedAt ?? sketch?.startedAt ?? time);
    const status = sketch?.status ?? "orphan";
    const places = { transcript, call: bodyPlace(node), results: results.get(id) ?? [] };
    sites.push({ id, name, status, ...places, turn: agentId === null ? turn : (turnAt(time) ?? 0), agentId, time });
  }
  return sites;
}

function* fileCalls({ preamble, turns }: Outline): Generator<{ turn: number; node: Node; id: string; name: string }> {
  const seen = new Set<string>();
  for (const { index, nodes } of [{ index: 0, nodes: preamble.nodes }, ...turns]) {
    for (const node of nodes.filter(({ role }) => role !== "injectedAnswer")) {
      for (const { id, name } of node.calls ?? []) {
        if (seen.has(id) || (!isFileTool(name) && name !== SHELL_TOOL)) continue;
        seen.add(id);
        yield { turn: index, node, id, name };
      }
    }
  }
}

export interface TimedEvent {
  readonly time: number; // ms since the epoch
  read(): FileEvent | undefined;
}

/** Returns a reader of all events of a file, by time, with one content in memory at a time. */
export function fileEventReader(files: TouchedFiles): (path: string) => Generator<FileEvent> {
  const byPath = new Map<string, TimedEvent[]>();
  for (const backup of listBackups(files)) listAt(byPath, backup.path).push(backup);
  for (const touch of files.touches) listAt(byPath, touch.path).push(touchEvent(touch, files.cwd));
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

function touchEvent(touch: ListedTouch, sessionCwd: string | null): TimedEvent {
  const { site, kind, status, path } = touch;
  const { turn, time } = site;
  const isUnsure = kind !== "read" && (status === "orphan" || status === "interrupted");
  const read = (): FileEvent | undefined => {
    if (isUnsure) return { kind: "doubt", turn, reason: `the outcome of a change in turn ${turn} is not recorded` };
    const found = status === "ok" ? readSiteCall(site, "whole") : undefined;
    if (!found) return undefined;
    const call = toFileCalls(found.call).find((one) => resolvePath(one.path, found.cwd ?? sessionCwd) === path);
    return (
      call && { kind: "call", turn, call, by: { callId: site.id, tool: site.name, agentId: site.agentId, at: time } }
    );
  };
  return { time, read };
}

/** A change to a folder concerns all files in it. */
function concerns({ path, to }: ListedCommand, file: string): boolean {
  return [path, to].some((place) => place !== null && (file === place || file.startsWith(`${place}/`)));
}

function commandEvent({ site: { turn, time }, kind }: ListedCommand): TimedEvent {
  return { time, read: () => ({ kind: "doubt", turn, reason: `a command in turn ${turn} may have ${kind} it` }) };
}

/** Only backups of the active branch. */
export function listBackups({
  session,
  cwd,
}: Pick<TouchedFiles, "session" | "cwd">): (TimedEvent & { readonly path: string })[] {
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

/** Undefined where the copy is missing or is not text. */
function readCopy(transcript: string, copy: string): string | undefined {
  const path = fileBackupPath(configRootOf(transcript), sessionPaths(transcript).id, copy);
  try {
    return path && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    return undefined;
  }
}
