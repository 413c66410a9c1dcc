import { dirname, resolve } from "node:path";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { blameLines, type FileMoment, type LineOrigin } from "../../session/blame/blame-lines.js";
import { plainText, splitLines } from "../../session/blame/line-table.js";
import { type LoadedSession, type LoadOptions, loadSession } from "../load/load-session.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { expandRoots } from "../sources/find-sessions.js";
import { openPlaces, pathInside, readBlamedFile } from "./blamed-file.js";
import { findChangingSessions, type SearchedSessions } from "./changing-sessions.js";
import { readFileCommits } from "./file-commits.js";
import { momentsInOrder, readFileMoments, type WritingTurn } from "./file-moments.js";
import { type OpenHistory, openHistory } from "./open-history.js";

/** Who wrote each line of a file, as far as it is certain. */
export interface FileBlame {
  /** Without links. */
  readonly path: string;
  readonly repository: string | null; // its root
  readonly lines: readonly BlamedLine[];
  /** Which a line refers to by its place in this list. */
  readonly turns: readonly WritingTurn[];
  readonly commits: ReadonlyMap<string, BlamedCommit>;
  /** How many sessions were read. */
  readonly sessions: number;
  /** Older commits were not read. */
  readonly isCut: boolean;
  readonly problems: readonly FileProblem[];
}

export interface BlamedLine {
  readonly text: string;
  readonly origin: LineOrigin;
}

export interface BlamedCommit {
  readonly id: string;
  readonly author: string;
  readonly at: number; // when it was written, ms since the epoch
  readonly subject: string;
}

/** Without an index: ripgrep finds the sessions below the folders that may have changed the file. */
export function blameFile(
  file: string,
  folders: string | readonly string[],
  options: LoadOptions = {},
): Promise<FileBlame> {
  const searched = { roots: expandRoots(folders), archive: options.archive, db: undefined, behind: undefined };
  return blameAmong(file, searched, options);
}

/** The file is read, its repository asked, and the sessions read that changed it. */
export async function blameAmong(
  file: string,
  searched: SearchedSessions,
  load: LoadOptions = {},
  now = Date.now(),
): Promise<FileBlame> {
  const typed = resolve(file);
  const blamed = readBlamedFile(typed);
  const history = openHistory(dirname(blamed.path));
  try {
    const name = history ? pathInside(history.place.root, blamed.path) : "";
    const known = history ? await readFileCommits(history, name, blamed.path) : undefined;
    const repository = history && { place: history.place, inside: [name, ...(known?.formerNames ?? [])] };
    const found = readSessions((moved) => openPlaces(blamed, typed, repository, moved), searched, load);
    const origins = blameLines({
      moments: found.moments,
      commits: known?.commits ?? [],
      head: known?.head ?? null,
      place: blamed.path,
      content: blamed.content,
      now,
    });
    const texts = splitLines(plainText(blamed.content));
    return {
      path: blamed.path,
      repository: history?.place.root ?? null,
      lines: origins.map((origin, at) => ({ text: texts[at] ?? "", origin })),
      turns: found.turns,
      commits: history ? await describeCommits(history, origins) : new Map(),
      sessions: found.sessions,
      isCut: known?.isCut ?? false,
      problems: found.problems,
    };
  } finally {
    history?.close();
  }
}

interface ReadSessions {
  readonly moments: readonly FileMoment[];
  readonly turns: readonly WritingTurn[];
  readonly sessions: number;
  readonly problems: readonly FileProblem[];
}

/** A file that a command moved may have moved before. */
const MAX_MOVES = 5;

function readSessions(
  openPlacesOf: (moved: readonly string[]) => ReturnType<typeof openPlaces>,
  searched: SearchedSessions,
  load: LoadOptions,
): ReadSessions {
  const problems: FileProblem[] = [];
  const loaded = new Map<string, LoadedSession | undefined>();
  const turns: WritingTurn[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (turn: WritingTurn) => {
    const key = JSON.stringify([turn.session.path, turn.turn, turn.agentId]);
    const known = numbers.get(key) ?? turns.push(turn) - 1;
    numbers.set(key, known);
    return known;
  };
  let moved: readonly string[] = [];
  for (let round = 0; ; round++) {
    const { names, placeOf } = openPlacesOf(moved);
    const read = findChangingSessions(names, searched, problems).flatMap(({ path, open }) => {
      const session = loaded.has(path)
        ? loaded.get(path)
        : skipUnreadable(path, problems, () => loadSession(open(), load));
      loaded.set(path, session);
      return session ? [{ session, ...readFileMoments(session, placeOf, numberOf) }] : [];
    });
    const further = [...new Set([...moved, ...read.flatMap(({ movedFrom }) => movedFrom)])];
    if (further.length === moved.length || round === MAX_MOVES) {
      const moments = momentsInOrder(read);
      return { moments, turns, sessions: read.length, problems };
    }
    moved = further;
  }
}

/** Of the commits that lines come from. */
async function describeCommits(
  history: OpenHistory,
  origins: readonly LineOrigin[],
): Promise<Map<string, BlamedCommit>> {
  const ids = [...new Set(origins.flatMap((origin) => (origin.kind === "commit" ? [origin.id] : [])))];
  const commits = new Map<string, BlamedCommit>();
  if (ids.length === 0) return commits;
  const format = ["--no-walk=unsorted", "--stdin", "--format=%H%x00%an%x00%at%x00%s"];
  const { output } = await history.run(["log", ...format], { input: `${ids.join("\n")}\n` });
  for (const line of output.toString("utf8").split("\n")) {
    const [id = "", author = "", seconds, subject = ""] = line.split("\0");
    if (id !== "") commits.set(id, { id, author, at: Number(seconds) * 1000, subject });
  }
  return commits;
}
