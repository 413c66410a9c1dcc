import { realpathSync } from "node:fs";
import { join } from "node:path";
import { listAt } from "../../collections.js";
import { type Commit, type CommittedFile, readCommits } from "../../format/git/read-commits.js";
import type { GitHistory } from "../../format/git/run-git.js";
import { attempt } from "../../format/layout/folder-listing.js";
import type { FileContent } from "../../format/record/file-changes.js";
import { blameLines, type ChangedFile, type FileMoment } from "../../session/blame/blame-lines.js";
import { plainText } from "../../session/blame/line-table.js";
import { applyFileCall } from "../../session/file-history/fold-file.js";
import { type LoadOptions, loadSession } from "../load/load-session.js";
import type { SessionCommit } from "../load/session-summary.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { openPlaces } from "./blamed-file.js";
import { findChangingSessions, type SearchedSessions } from "./changing-sessions.js";
import { readFileCommits } from "./file-commits.js";
import { momentsInOrder, type PlaceOf, readFileMoments } from "./file-moments.js";
import { openHistory } from "./open-history.js";

/** How long after the work of a session a commit may be made of it. */
const WINDOW_MS = 14 * 86_400_000;
/** Larger commits are imports and merges of many changes, of no one session. */
const MAX_FILES = 100;
const MAX_LENGTH = 4 * 1024 * 1024;
/** Git notes whole seconds. */
const COMMIT_PRECISION_MS = 999;

/**
 * The sessions, by path, that wrote what a commit of a folder's repository holds, whoever made it: each file that both changed
 * is as the session left it, or all lines that the commit added are by sessions. Files of no session do not count.
 */
export async function findCommitWriters(
  sha: string,
  folder: string,
  searched: SearchedSessions,
  load: LoadOptions = {},
): Promise<ReadonlyMap<string, SessionCommit>> {
  const history = openHistory(folder);
  if (!history) return new Map();
  try {
    const { commits } = await readCommits(history, { from: [sha], alone: true });
    const [commit] = commits;
    if (!commit || commit.files.length === 0 || commit.files.length > MAX_FILES) return new Map();
    const { paths, changed } = readWork(history, commit, searched, load);
    const refuted = new Set<number>();
    const proved = new Set<number>();
    for (const file of changed) {
      const writers = await findWriters(history, commit, file);
      for (const session of workingSessions(file.moments, commit))
        (writers.has(session) ? proved : refuted).add(session);
    }
    const link = toLink(commit);
    return new Map(paths.flatMap((path, at) => (proved.has(at) && !refuted.has(at) ? [[path, link]] : [])));
  } finally {
    history.close();
  }
}

function toLink({ id, subject, committedAt }: Commit): SessionCommit {
  return { sha: id, branch: null, subject, at: new Date(committedAt).toISOString(), by: "content" };
}

interface ChangedInCommit {
  readonly committed: CommittedFile;
  readonly place: string;
  /** By time; their turns are places in the list of sessions. */
  readonly moments: readonly FileMoment[];
}

interface WorkBefore {
  readonly paths: readonly string[]; // of sessions
  /** The files of the commit that sessions changed. */
  readonly changed: readonly ChangedInCommit[];
}

/** What sessions knew of the files of a commit until then, and did with them. */
function readWork(history: GitHistory, commit: Commit, searched: SearchedSessions, load: LoadOptions): WorkBefore {
  const root = attempt(history.place.root, [], () => realpathSync.native(history.place.root)) ?? history.place.root;
  const files = commit.files.map((committed) => openFile(history, root, committed));
  const owners = new Map<string, (typeof files)[number]>();
  const placeOf: PlaceOf = (path) => {
    for (const file of files) {
      const place = file.places.placeOf(path);
      if (place === undefined) continue;
      owners.set(place, file);
      return place;
    }
    return undefined;
  };
  const names = [...new Set(files.flatMap(({ places }) => places.names))];
  const since = commit.authoredAt - WINDOW_MS;
  const paths: string[] = [];
  const read = findChangingSessions(names, searched, [], since).flatMap(({ path, open }) => {
    const session = skipUnreadable(path, [], () => loadSession(open(), load));
    if (!session || Date.parse(session.header.endedAt ?? "") < since) return [];
    const number = paths.push(path) - 1;
    return [{ session, moments: readFileMoments(session, placeOf, () => number).moments }];
  });
  const until = commit.committedAt + COMMIT_PRECISION_MS;
  const momentsOf = new Map<(typeof files)[number], FileMoment[]>();
  for (const moment of momentsInOrder(read)) {
    const owner = owners.get(moment.place);
    if (owner && moment.time <= until) listAt(momentsOf, owner).push(moment);
  }
  return {
    paths,
    changed: Array.from(momentsOf, ([{ committed, place }, moments]) => ({ committed, place, moments })),
  };
}

function openFile(history: GitHistory, root: string, committed: CommittedFile) {
  const place = join(root, ...committed.path.split("/"));
  const inside = [committed.path, ...(committed.renamedFrom === null ? [] : [committed.renamedFrom])];
  const places = openPlaces({ path: place, content: "" }, place, { place: history.place, inside }, []);
  return { committed, place, places };
}

function workingSessions(moments: readonly FileMoment[], { authoredAt }: Commit): Set<number> {
  const inTime = moments.filter(({ time }) => time >= authoredAt - WINDOW_MS);
  return new Set(inTime.flatMap((moment) => (isOfSession(moment) ? [moment.turn] : [])));
}

function isOfSession(moment: FileMoment): moment is ChangedFile & { readonly turn: number } {
  return moment.kind === "changed" && moment.turn !== null;
}

/** The sessions that wrote what the commit changed in a file. */
async function findWriters(
  history: GitHistory,
  { id, committedAt }: Commit,
  { committed, place, moments }: ChangedInCommit,
): Promise<Set<number>> {
  const { commits } = await readFileCommits(history, committed.path, place, id);
  const last = commits.at(-1);
  const content = last?.id === id ? last.content : null;
  if (content === null || content.length > MAX_LENGTH || committed.change === "deleted") return new Set();
  const sameBefore = commits.slice(0, -1).filter((earlier) => earlier.content === content);
  // A commit that takes later ones back is no work of those who left this content first.
  const since = Math.max(...sameBefore.map(({ time }) => time), Number.NEGATIVE_INFINITY);
  const origins = blameLines({ moments, commits, head: id, place, content, now: committedAt });
  const added = committed.hunks.flatMap(({ newStart, added }) => added.map((_, at) => origins[newStart - 1 + at]));
  const authors = added.map((origin) => (origin?.kind === "turn" && !origin.isReformatted ? origin.turn : null));
  const writers = new Set(authors.filter((author) => author !== null));
  const left = leftBy(moments, content, since);
  if (added.length === 0) return left;
  const isTheirs = !authors.includes(null) && sameBefore.length === 0;
  return isTheirs ? writers : new Set([...left].filter((session) => writers.has(session)));
}

/** The sessions that brought a file to this content after a time. */
function leftBy(moments: readonly FileMoment[], content: string, since: number): Set<number> {
  const wanted = plainText(content);
  const last = new Map<string, FileContent>(); // by place
  const sessions = new Set<number>();
  for (const moment of moments) {
    const { place } = moment;
    const known = last.get(place);
    const { before, after } =
      moment.kind === "seen" ? { before: known, after: moment.content } : applyFileCall(moment.call, known);
    last.set(place, after);
    const isChange = isOfSession(moment) && moment.time > since && before !== after;
    if (isChange && typeof after === "string" && plainText(after) === wanted) sessions.add(moment.turn);
  }
  return sessions;
}
