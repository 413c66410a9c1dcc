import type { FileProblem } from "../../format/layout/folder-listing.js";
import { workflowRunOf } from "../../format/layout/session-paths.js";
import type { OpenedFiles } from "../../format/reader/record-reader.js";
import type { Place } from "../../format/record/record.js";
import { once } from "../../lazy.js";
import { isTaskNotification, parseTaskNotification } from "../../session/prompts/wrappers.js";
import { searchTexts } from "../../session/search-texts.js";
import { type Database, prepareOnce } from "../../store/sqlite.js";
import {
  encodeTurnLines,
  encodeTurnStarts,
  parseTurnLines,
  parseTurnStarts,
  type TurnLookup,
} from "../entries/turn-lines.js";
import type { UserData } from "../found-session.js";
import { type LoadedSession, loadSession } from "../load/load-session.js";
import { matchesFile, type SessionFilter, summarizeSession } from "../load/session-summary.js";
import { skipUnreadable } from "../skip-unreadable.js";
import type { SearchedFiles, SearchedSession } from "./searched-files.js";

/** What the hits of a session say about it. */
export interface SessionFacts {
  readonly project: string | null;
  /** A title given by the user replaces the one in the catalog. */
  readonly title: string | null;
  /** Its latest activity, ms since the epoch. */
  readonly ended: number | null;
  readonly turnOf: TurnLookup;
  /** The line of the call that launched a sub-agent. */
  launchLine(agentId: string, path: string): number | undefined;
  /** The prompt of a turn. */
  promptOf(turn: number, files: OpenedFiles): string | null;
}

const MAX_LOADED = 8;

interface SessionRow {
  readonly file: number;
  readonly project: string | null;
  readonly title: string;
  readonly ended: string | null;
  readonly lines: string;
  readonly starts: string;
}

/** The facts of sessions, from the catalog where it has them as they are now, else from their files. */
export class FactsReader {
  readonly #facts = new Map<string, SessionFacts | undefined>();
  readonly #loaded = new Map<string, LoadedSession | undefined>();
  #askCatalog: ReturnType<typeof createCatalogReader> | undefined;

  constructor(
    private readonly db: Database | undefined,
    private readonly files: SearchedFiles,
    private readonly problems: FileProblem[],
    private readonly userData: UserData = {},
  ) {}

  /** Undefined for a session without a transcript. */
  of(session: SearchedSession): SessionFacts | undefined {
    const { path } = session;
    if (!this.#facts.has(path)) this.#facts.set(path, this.#read(session));
    return this.#facts.get(path);
  }

  titleOf(session: SearchedSession): string {
    return this.userData.marks?.get(session.id)?.title ?? this.of(session)?.title ?? session.id;
  }

  passes(session: SearchedSession, filter: SessionFilter): boolean {
    const loaded = this.#load(session);
    return loaded !== undefined && matchesFile(summarizeSession(loaded, 0), filter);
  }

  #read(session: SearchedSession): SessionFacts | undefined {
    const open = once(() => this.files.openTranscript(session));
    if (this.db && this.files.isCatalogued(session)) {
      this.#askCatalog ??= createCatalogReader(this.db, this.problems);
      return this.#askCatalog(session.path, open);
    }
    const loaded = this.#load(session);
    if (!loaded) return undefined;
    const { header, outline } = loaded;
    const turns = { lines: encodeTurnLines(outline.turns), starts: encodeTurnStarts(outline.turns) };
    return {
      project: header.project,
      title: header.title,
      ended: toTime(header.endedAt),
      ...readTurns(turns, session.path, open, this.problems),
      launchLine: lookUpLaunch(findLaunchLines(outline)),
    };
  }

  /** A library may have thousands of sessions that match: of the last ones more is kept than their facts. */
  #load(session: SearchedSession): LoadedSession | undefined {
    const { path } = session;
    if (this.#loaded.has(path)) return this.#loaded.get(path);
    const [oldest] = this.#loaded.keys();
    if (oldest !== undefined && this.#loaded.size >= MAX_LOADED) {
      this.#loaded.delete(oldest);
    }
    const loaded = this.#loadTranscript(session);
    this.#loaded.set(path, loaded);
    return loaded;
  }

  #loadTranscript(session: SearchedSession): LoadedSession | undefined {
    if (!this.files.hasTranscript(session)) return undefined;
    return skipUnreadable(session.path, this.problems, () =>
      loadSession(this.files.openTranscript(session), this.userData),
    );
  }
}

function createCatalogReader(db: Database, problems: FileProblem[]) {
  const select = prepareOnce<SessionRow>(
    db,
    `SELECT s.file, s.project, s.title, s.ended, s.turn_lines AS lines, s.turn_starts AS starts
     FROM files f CROSS JOIN sessions s ON s.file = f.id WHERE f.path = ?`,
  );
  const selectLaunches = prepareOnce<{ agent_id: string; line: number }>(
    db,
    "SELECT agent_id, line FROM launches WHERE file = ?",
  );
  /** Undefined where the catalog does not have the session. */
  return (path: string, open: () => string): SessionFacts | undefined => {
    const row = select.get(path);
    if (!row) return undefined;
    const launchLine = once(() => {
      const launches = selectLaunches.all(row.file);
      return lookUpLaunch(new Map(launches.map(({ agent_id, line }) => [agent_id, line])));
    });
    return {
      project: row.project,
      title: row.title,
      ended: toTime(row.ended),
      ...readTurns(row, path, open, problems),
      launchLine: (agentId, file) => launchLine()(agentId, file),
    };
  };
}

/** Of turns as the catalog keeps them. */
function readTurns(
  { lines, starts }: Pick<SessionRow, "lines" | "starts">,
  path: string,
  open: () => string,
  problems: FileProblem[],
): Pick<SessionFacts, "turnOf" | "promptOf"> {
  const turnOf = once(() => parseTurnLines(lines));
  const places = once(() => parseTurnStarts(starts));
  return {
    turnOf: (line) => turnOf()(line),
    promptOf(turn, files) {
      const [line, offset, length] = places()[turn - 1] ?? [];
      if (line === undefined || offset === undefined || length === undefined) return null;
      const text = skipUnreadable(path, problems, () => firstText(files, open(), { line, offset, length }));
      return text === undefined ? null : wordsOf(text);
    },
  };
}

function toTime(timestamp: string | null): number | null {
  const time = Date.parse(timestamp ?? "");
  return Number.isNaN(time) ? null : time;
}

function firstText(files: OpenedFiles, path: string, place: Place): string | undefined {
  for (const record of files.readAt(path, place)) {
    if (record.offset === place.offset) return searchTexts(record)[0]?.text;
  }
  return undefined;
}

/** The prompt of a notification turn is the summary of the notification. */
function wordsOf(text: string): string {
  return isTaskNotification(text) ? (parseTaskNotification(text).summary ?? "") : text;
}

/** Agents of a workflow are launched together, as a run. */
function lookUpLaunch(lines: ReadonlyMap<string, number>): SessionFacts["launchLine"] {
  return (agentId, path) => lines.get(agentId) ?? lines.get(workflowRunOf(path) ?? "");
}

/** The lines of the calls that launched sub-agents, by the ids of the sub-agents. */
function findLaunchLines(outline: LoadedSession["outline"]): Map<string, number> {
  const lines = new Map<string, number>();
  for (const { calls, line } of outline.active)
    for (const { id } of calls ?? []) if (!lines.has(id)) lines.set(id, line);
  return new Map(
    [...outline.tasks].flatMap(([agentId, call]) => {
      const line = lines.get(call);
      return line === undefined ? [] : [[agentId, line] as const];
    }),
  );
}
