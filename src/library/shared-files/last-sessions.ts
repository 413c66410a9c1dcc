import { basename, dirname, join } from "node:path";
import { isObject, tryParseJson } from "../../format/json.js";
import { readSmallFile } from "../../format/layout/small-file.js";
import { listMembers, type Member } from "../../format/reader/json-members.js";
import { readString } from "../../format/reader/json-scanner.js";
import { type ByteRange, withoutRanges } from "./rewrite-file.js";

/** A project of `.claude.json` whose last session is the one asked for. */
export interface LastSession extends ByteRange {
  readonly project: string;
}

const KEY = Buffer.from('"lastSessionId"');
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Where Claude Code keeps its state for a configuration folder: in it where CLAUDE_CONFIG_DIR names it, beside it where it is
 * the `.claude` of a home folder.
 */
export function clientStateFiles(configRoot: string): string[] {
  const beside = basename(configRoot) === ".claude" ? [join(dirname(configRoot), ".claude.json")] : [];
  return [join(configRoot, ".claude.json"), ...beside];
}

export function readClientState(path: string): Buffer | undefined {
  return readSmallFile(path, { maxBytes: MAX_BYTES, followsLinks: true });
}

/** The ranges of the members that name the session, each with the comma that goes with it. */
export function findLastSessions(bytes: Buffer, sessionId: string): LastSession[] {
  return projectsIn(bytes).flatMap(({ key, start, end }) => {
    const last = membersAt(bytes, start, end).find((member) => member.key === "lastSessionId");
    if (!last || readString(bytes, last.start, last.end) !== sessionId) return [];
    const range = memberRange(bytes, last);
    return range ? [{ project: key, ...range }] : [];
  });
}

/** Undefined where the result would not be the same JSON without these members. */
export function withoutLastSessions(bytes: Buffer, sessionId: string): Buffer | undefined {
  const found = findLastSessions(bytes, sessionId);
  const next = withoutRanges(bytes, found);
  return found.length > 0 && isObject(tryParseJson(next.toString("utf8"))) ? next : undefined;
}

/** Names the session again where the project has no last session; a newer one stays. */
export function withLastSession(bytes: Buffer, projects: readonly string[], sessionId: string): Buffer | undefined {
  let next = bytes;
  for (const project of projects) {
    const place = projectsIn(next).find(({ key }) => key === project);
    if (!place || next[place.start] !== 0x7b) continue;
    const members = membersAt(next, place.start, place.end);
    if (members.some(({ key }) => key === "lastSessionId")) continue;
    const text = `"lastSessionId": "${sessionId}"${members.length > 0 ? ", " : ""}`;
    const at = place.start + 1;
    next = Buffer.concat([next.subarray(0, at), Buffer.from(text), next.subarray(at)]);
  }
  return next !== bytes && isObject(tryParseJson(next.toString("utf8"))) ? next : undefined;
}

function projectsIn(bytes: Buffer): Member[] {
  const projects = listMembers(bytes).find(({ key }) => key === "projects");
  return projects ? membersAt(bytes, projects.start, projects.end) : [];
}

function membersAt(bytes: Buffer, start: number, end: number): Member[] {
  if (bytes[start] !== 0x7b) return [];
  return listMembers(bytes.subarray(start, end)).map((member) => ({
    key: member.key,
    start: start + member.start,
    end: start + member.end,
  }));
}

/** From the key on, with the comma after it, else with the one before it. */
function memberRange(bytes: Buffer, { start, end }: Member): ByteRange | undefined {
  const key = bytes.lastIndexOf(KEY, start);
  const between = bytes.toString("latin1", key + KEY.length, start);
  if (key < 0 || !/^\s*:\s*$/.test(between)) return undefined;
  const after = /^\s*,\s*/.exec(bytes.toString("latin1", end, end + 1024))?.[0].length ?? 0;
  if (after > 0) return { start: key, end: end + after };
  const before = /,\s*$/.exec(bytes.toString("latin1", Math.max(0, key - 1024), key))?.[0].length ?? 0;
  return { start: key - before, end };
}
