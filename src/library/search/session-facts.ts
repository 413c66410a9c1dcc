import type { FileProblem } from "../../format/layout/folder-listing.js";
import { workflowRunOf } from "../../format/layout/session-paths.js";
import { readRecords } from "../../format/reader/record-reader.js";
import { isTaskNotification, parseTaskNotification } from "../../session/prompts/wrappers.js";
import { searchTexts } from "../../session/search-texts.js";
import type { Database } from "../../store/sqlite.js";
import { createTurnLookup, parseTurnLines, parseTurnStarts, type TurnLookup } from "../catalog/turn-lines.js";
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
  promptOf(turn: number): string | null;
}

interface SessionRow {
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

  endOf(session: SearchedSession): number | null {
    return this.of(session)?.ended ?? null;
  }

  passes(session: SearchedSession, filter: SessionFilter): boolean {
    const loaded = this.#load(session);
    return loaded !== undefined && matchesFile(summarizeSession(loaded, 0), filter);
  }

  #read(session: SearchedSession): SessionFacts | undefined {
    if (this.db && this.files.isCatalogued(session)) {
      const open = () => this.files.openTranscript(session);
      return factsFromCatalog(this.db, session.path, open, this.problems);
    }
    const loaded = this.#load(session);
    return loaded && factsOfLoaded(loaded);
  }

  #load(session: SearchedSession): LoadedSession | undefined {
    const { path } = session;
    if (!this.#loaded.has(path)) this.#loaded.set(path, this.#loadTranscript(session));
    return this.#loaded.get(path);
  }

  #loadTranscript(session: SearchedSession): LoadedSession | undefined {
    if (!this.files.hasTranscript(session)) return undefined;
    return skipUnreadable(session.path, this.problems, () =>
      loadSession(this.files.openTranscript(session), this.userData),
    );
  }
}

/** Undefined where the catalog does not have the session. */
function factsFromCatalog(
  db: Database,
  path: string,
  open: () => string,
  problems: FileProblem[],
): SessionFacts | undefined {
  const file = db.prepare<{ id: number }>("SELECT id FROM files WHERE path = ?").get(path)?.id;
  const row =
    file === undefined
      ? undefined
      : db
          .prepare<SessionRow>(
            "SELECT project, title, ended, turn_lines AS lines, turn_starts AS starts FROM sessions WHERE file = ?",
          )
          .get(file);
  if (!row || file === undefined) return undefined;
  const starts = parseTurnStarts(row.starts);
  const launches = db
    .prepare<{ agent_id: string; line: number }>(
      "SELECT l.agent_id, c.line FROM launches l JOIN calls c ON c.key = l.call AND c.file = l.file WHERE l.file = ?",
    )
    .all(file);
  return {
    project: row.project,
    title: row.title,
    ended: toTime(row.ended),
    turnOf: parseTurnLines(row.lines),
    launchLine: lookUpLaunch(new Map(launches.map(({ agent_id, line }) => [agent_id, line]))),
    promptOf(turn) {
      const [line, offset] = starts[turn - 1] ?? [];
      if (line === undefined || offset === undefined) return null;
      const text = skipUnreadable(path, problems, () => firstText(open(), { line, offset }));
      return text === undefined ? null : wordsOf(text);
    },
  };
}

function toTime(timestamp: string | null): number | null {
  const time = Date.parse(timestamp ?? "");
  return Number.isNaN(time) ? null : time;
}

function firstText(path: string, place: { readonly line: number; readonly offset: number }): string | undefined {
  for (const record of readRecords(path, place)) return searchTexts(record)[0]?.text;
  return undefined;
}

/** The prompt of a notification turn is the summary of the notification. */
function wordsOf(text: string): string {
  return isTaskNotification(text) ? (parseTaskNotification(text).summary ?? "") : text;
}

function factsOfLoaded({ header, outline }: LoadedSession): SessionFacts {
  return {
    project: header.project,
    title: header.title,
    ended: toTime(header.endedAt),
    turnOf: createTurnLookup(outline.turns),
    launchLine: lookUpLaunch(findLaunchLines(outline)),
    promptOf: (turn) => outline.turns[turn - 1]?.start.text ?? null,
  };
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
