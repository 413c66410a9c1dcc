import { isTrueAt, stringAt } from "../../format/json.js";
import { isFileTool, toFileCalls } from "../../format/record/file-changes.js";
import type { FileMoment } from "../../session/blame/blame-lines.js";
import { resolvePath } from "../../session/file-history/file-path.js";
import { listShellChanges } from "../../session/file-history/shell-changes.js";
import type { LoadedSession } from "../load/load-session.js";
import { type FileSite, listBackups, listFileSites, readSiteCall } from "../load/touched-files.js";

/** A turn that changed a file. */
export interface WritingTurn {
  readonly session: LoadedSession;
  readonly turn: number; // 0: before the first
  readonly agentId: string | null;
}

export interface SessionMoments {
  readonly moments: readonly SessionMoment[];
  /** Recorded paths that a command moved to a wanted place. */
  readonly movedFrom: readonly string[];
}

export interface SessionMoment {
  readonly moment: FileMoment;
  /** Of the call; null for a backup. A copy of the session has the same. */
  readonly callId: string | null;
}

/** Which place a recorded path is; undefined: another file. */
export type PlaceOf = (path: string) => string | undefined;

/** What a session and its sub-agents knew of some files, and did with them, by time. */
export function readFileMoments(
  session: LoadedSession,
  placeOf: PlaceOf,
  numberOf: (turn: WritingTurn) => number,
): SessionMoments {
  const cwd = session.outline.facts.firstCwd;
  const moments: SessionMoment[] = [];
  const movedFrom: string[] = [];
  for (const site of listFileSites(session)) {
    if (site.status !== "ok") continue;
    if (isFileTool(site.name)) moments.push(...readCall(session, site, placeOf, numberOf));
    else movedFrom.push(...readMoves(site, cwd, placeOf));
  }
  for (const { path, time, read } of listBackups({ session, cwd })) {
    const place = placeOf(path);
    const event = place === undefined ? undefined : read();
    if (place === undefined || event?.kind !== "seen") continue;
    moments.push({ moment: { kind: "seen", time, place, content: event.content }, callId: null });
  }
  return { moments: moments.sort((a, b) => a.moment.time - b.moment.time), movedFrom };
}

function readCall(
  session: LoadedSession,
  site: FileSite,
  placeOf: PlaceOf,
  numberOf: (turn: WritingTurn) => number,
): SessionMoment[] {
  const { id, turn, agentId, time } = site;
  const sessionCwd = session.outline.facts.firstCwd;
  const named = readSiteCall(site, "input");
  const cwd = named?.cwd ?? sessionCwd;
  const isWanted = named && toFileCalls(named.call).some(({ path }) => placeOf(resolvePath(path, cwd)) !== undefined);
  const found = isWanted ? readSiteCall(site, "whole") : undefined;
  if (!found) return [];
  const isOther = isTrueAt(found.call.resultData, "userModified");
  return toFileCalls(found.call).flatMap((call): SessionMoment[] => {
    const place = placeOf(resolvePath(call.path, cwd));
    if (place === undefined) return [];
    if (call.kind !== "read") {
      const writer = isOther ? null : numberOf({ session, turn, agentId });
      return [{ moment: { kind: "changed", time, place, call, turn: writer }, callId: id }];
    }
    return typeof call.after === "string"
      ? [{ moment: { kind: "seen", time, place, content: call.after }, callId: id }]
      : [];
  });
}

/** Of a command that ended well, every part did only where each ran because the one before did. */
function readMoves(site: FileSite, cwd: string | null, placeOf: PlaceOf): string[] {
  const found = readSiteCall(site, "input");
  const command = found && stringAt(found.call.input, "command");
  if (command === undefined || !command.includes("mv")) return [];
  return listShellChanges(command, found?.cwd ?? cwd).flatMap(({ kind, path, to }) =>
    kind === "moved" && to !== null && placeOf(to) !== undefined ? [path] : [],
  );
}

export interface ReadMoments {
  readonly session: LoadedSession;
  readonly moments: readonly SessionMoment[];
}

/** By time; a call that several sessions hold counts in the one that began it. */
export function momentsInOrder(sessions: readonly ReadMoments[]): FileMoment[] {
  const seen = new Set<string>();
  const originalsFirst = sessions.toSorted(
    (a, b) => copiedCount(a) - copiedCount(b) || startOf(a.session) - startOf(b.session),
  );
  return originalsFirst
    .flatMap(({ moments }) =>
      moments.flatMap(({ moment, callId }) => {
        const key = `${callId} ${moment.place}`;
        if (callId !== null && seen.has(key)) return [];
        seen.add(key);
        return [moment];
      }),
    )
    .sort((a, b) => a.time - b.time);
}

/** Sessions that were forked from another begin with its records. */
function copiedCount({ session }: ReadMoments): number {
  return session.outline.facts.relations.forkedFrom === null ? 0 : 1;
}

function startOf({ header }: LoadedSession): number {
  return Date.parse(header.startedAt ?? "") || 0;
}
