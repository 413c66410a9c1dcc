import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { attempt, findFiles } from "../../format/layout/folder-listing.js";
import { isPlainFileName } from "../../format/layout/path-forms.js";
import { isJobOf, readJobs, readRegistry } from "../../format/layout/registry-files.js";
import { isSessionId } from "../../format/layout/session-paths.js";
import { readSmallFile } from "../../format/layout/small-file.js";
import { readChunks } from "../../format/reader/record-reader.js";
import { once } from "../../lazy.js";
import type { FoundSession } from "../found-session.js";
import { clientStateFiles, findLastSessions, readClientState } from "./last-sessions.js";
import { exclusivePastes, findHistoryLines, historyPath, pastePath, readHistory } from "./prompt-history.js";

/**
 * A file that names a session, or holds something of it, but does not belong to it alone. `history`, `paste` and `lastSession`
 * can be purged; the others stay.
 */
export interface SharedMention {
  readonly kind:
    | ("history" | "paste" | "lastSession" | "stateBackup" | "plan" | "parentCopy" | "team" | "registry")
    | "jobPath"; // of a moved session: its background job names where it was
  readonly path: string;
  /** Lines of a history, projects of a state file, else 1. */
  readonly count: number;
  readonly isPurgeable: boolean;
}

/** Reads the files of a configuration folder once for many sessions. */
export interface SharedFiles {
  mentionsOf(session: Pick<FoundSession, "id" | "path">): SharedMention[];
}

export function openSharedFiles(configRoot: string): SharedFiles {
  const history = once(() => readHistory(configRoot));
  const states = once(() =>
    clientStateFiles(configRoot).flatMap((path) => {
      const bytes = readClientState(path);
      return bytes ? [{ path, bytes }] : [];
    }),
  );
  const backups = once(() => readTexts(join(configRoot, "backups")));
  const teams = once(() => readTexts(join(configRoot, "teams")));
  const jobs = once(() => readJobs(configRoot));
  const registry = once(() => readRegistry(configRoot).entries);
  return {
    mentionsOf: ({ id, path }) => {
      if (!isSessionId(id)) return [];
      const lines = findHistoryLines(history(), id);
      const isNamed = ({ bytes }: Text) => bytes.includes(id);
      const parents = jobs().filter((job) => job.forkParentSessionId === id && !isJobOf(job, id));
      const copies = parents.map(({ folder }) => join(folder, "parent-transcript.jsonl")).filter(isThere);
      return [
        ...(lines.length > 0 ? [mention("history", historyPath(configRoot), lines.length)] : []),
        ...exclusivePastes(history(), lines)
          .map((hash) => pastePath(configRoot, hash))
          .filter(isThere)
          .map((paste) => mention("paste", paste)),
        ...states().flatMap((state) => {
          const count = findLastSessions(state.bytes, id).length;
          return count > 0 ? [mention("lastSession", state.path, count)] : [];
        }),
        ...backups()
          .filter(isNamed)
          .map((backup) => mention("stateBackup", backup.path)),
        ...plansOf(configRoot, path).map((plan) => mention("plan", plan)),
        ...copies.map((copy) => mention("parentCopy", copy)),
        ...teams()
          .filter(isNamed)
          .map((team) => mention("team", team.path)),
        ...registry().flatMap((entry) => (entry.sessionId === id ? [mention("registry", entry.path)] : [])),
      ];
    },
  };
}

/** What names the place of a session, and goes on naming it when the session moves to another project. */
export function mentionsOfPlace(configRoot: string, session: Pick<FoundSession, "id" | "path">): SharedMention[] {
  const jobs = readJobs(configRoot).filter(({ linkScanPath }) => linkScanPath === session.path);
  return [
    ...openSharedFiles(configRoot)
      .mentionsOf(session)
      .filter(({ kind }) => kind === "lastSession"),
    ...jobs.map(({ folder }) => mention("jobPath", join(folder, "state.json"))),
  ];
}

const PURGEABLE: ReadonlySet<SharedMention["kind"]> = new Set(["history", "paste", "lastSession"]);

function mention(kind: SharedMention["kind"], path: string, count = 1): SharedMention {
  return { kind, path, count, isPurgeable: PURGEABLE.has(kind) };
}

interface Text {
  readonly path: string;
  readonly bytes: Buffer;
}

const MAX_TEXTS = 1000;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

function readTexts(folder: string): Text[] {
  return findFiles(folder)
    .entries.filter(({ isLink }) => !isLink)
    .slice(0, MAX_TEXTS)
    .flatMap(({ path }) => {
      const bytes = readSmallFile(path, { maxBytes: MAX_TEXT_BYTES });
      return bytes ? [{ path, bytes }] : [];
    });
}

/** Plans are named by the `slug` of records. Copies of a session keep it, so that several sessions may use one plan. */
function plansOf(configRoot: string, transcript: string): string[] {
  const folder = join(configRoot, "plans");
  const names = attempt(folder, [], () => readdirSync(folder)) ?? [];
  if (names.length === 0) return [];
  const slugs = attempt(transcript, [], () => slugsIn(transcript)) ?? new Set<string>();
  return names
    .filter((name) => [...slugs].some((slug) => name === `${slug}.md` || name.startsWith(`${slug}-agent-`)))
    .map((name) => join(folder, name));
}

const OVERLAP = 300;

function slugsIn(path: string): ReadonlySet<string> {
  const slugs = new Set<string>();
  let rest = "";
  for (const chunk of readChunks(path)) {
    const text = rest + chunk.toString("latin1");
    for (const [, slug = ""] of text.matchAll(/"slug":"([\w-]{1,200})"/g)) if (isPlainFileName(slug)) slugs.add(slug);
    rest = text.slice(-OVERLAP);
  }
  return slugs;
}

function isThere(path: string): boolean {
  return attempt(path, [], () => lstatSync(path).isFile()) ?? false;
}
