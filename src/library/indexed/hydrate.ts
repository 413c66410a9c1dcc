import type { FileProblem } from "../../format/folder-listing.js";
import { readRecordsAt } from "../../format/record-reader.js";
import { type SearchText, searchTexts } from "../../session/search-texts.js";
import { isTaskNotification, parseTaskNotification } from "../../session/wrappers.js";
import type { Database } from "../../store/sqlite.js";
import { hitSnippet, type Mask, promptLine } from "../hit-snippet.js";
import type { Knowledge } from "../known-facts.js";
import type { SearchHit } from "../search-hit.js";
import type { TextMatcher } from "../search-request.js";
import { skipUnreadable } from "../skip-unreadable.js";
import type { Snippet } from "../snippet.js";
import { createOpener } from "./archived-files.js";
import { kindOf } from "./doc-kinds.js";
import { startOfTurn, turnOfLine } from "./turn-lines.js";

/** Where a text lies. */
interface DocRow {
  readonly id: number;
  readonly file: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly part: number;
  readonly tool: string | null;
  readonly time: number | null;
}

const SELECT_DOC = "SELECT id, file, line, offset, length, part, tool, time FROM docs";

/** The file of a text, and the session to which it belongs. */
interface Whereabouts {
  readonly path: string;
  readonly archive: string | null;
  readonly session_id: string;
  readonly agent_id: string | null;
  readonly session_path: string;
  readonly session_file: number | null;
  readonly project: string | null;
  readonly title: string | null;
  readonly turn_lines: string | null;
  readonly turn_starts: string | null;
}

const SELECT_WHEREABOUTS = `
  SELECT f.path, f.archive, f.session_id, f.agent_id, coalesce(f.owner, f.path) AS session_path, o.id AS session_file,
    s.project, s.title, s.turn_lines, s.turn_starts
  FROM files f LEFT JOIN files o ON o.path = coalesce(f.owner, f.path) LEFT JOIN sessions s ON s.file = o.id
  WHERE f.id = ?`;

export interface Hydrator {
  /** Undefined when the text is no longer where the index saw it, or does not match after all. */
  toHit(docId: number, matcher: TextMatcher): SearchHit | undefined;
}

/** Reads found texts from the session files again. */
export function createHydrator(
  db: Database,
  problems: FileProblem[],
  { archive, marks }: Knowledge = {},
  mask?: Mask,
): Hydrator {
  const open = createOpener(archive);
  const whereabouts = db.prepare<Whereabouts>(SELECT_WHEREABOUTS);
  const turnOf = createTurnFinder(db);
  const docOf = db.prepare<DocRow>(`${SELECT_DOC} WHERE id = ?`);
  const docAt = db.prepare<DocRow>(`${SELECT_DOC} WHERE file = ? AND line = ? AND offset = ? ORDER BY id LIMIT 1`);

  /** The title that a person gave stands in for the session's own. */
  function withOwnTitle(place: Whereabouts | undefined): Whereabouts | undefined {
    return place && { ...place, title: marks?.get(place.session_id)?.title ?? place.title };
  }

  function textOf(doc: DocRow, place: Whereabouts): SearchText | undefined {
    return kindOf(doc.id) === "title" ? titleText(place) : readText(open(place.path, place.archive), doc, problems);
  }

  const prompts = new Map<string, string | null>();

  function promptOf(turn: number | null, place: Whereabouts): string | null {
    const key = `${turn} ${place.session_path}`;
    const prompt = prompts.get(key) ?? readPrompt(turn, place);
    prompts.set(key, prompt);
    return prompt;
  }

  function readPrompt(
    turn: number | null,
    { session_file, session_path, turn_starts, archive: copy }: Whereabouts,
  ): string | null {
    const start = turn === null ? undefined : startOfTurn(turn_starts ?? "[]", turn);
    const doc = start && docAt.get(session_file, ...start);
    const found = doc && readText(open(session_path, copy), doc, problems);
    return found === undefined ? null : promptLine(wordsOf(found.text), mask);
  }

  return {
    toHit(docId, matcher) {
      const doc = docOf.get(docId);
      const place = doc && withOwnTitle(whereabouts.get(doc.file));
      const found = place && textOf(doc, place);
      if (!doc || !place || !found) return undefined;
      const matches = matcher.find(found.text);
      if (!isStillFound(found, matches.length, matcher)) return undefined;
      const turn = turnOf(doc, place);
      const snippet = hitSnippet(found.text, matcher, mask, matches);
      return describeHit(doc, place, {
        turn,
        prompt: promptOf(turn, place),
        snippet,
        toolUseId: found.toolUseId ?? null,
      });
    },
  };
}

/** A turn that a notification started begins with its summary. */
function wordsOf(text: string): string {
  return isTaskNotification(text) ? (parseTaskNotification(text).summary ?? "") : text;
}

/** The index has judged the text; only its title may be another by now. Looking at all of a long text again takes long. */
function isStillFound({ kind, text }: SearchText, places: number, matcher: TextMatcher): boolean {
  return (kind !== "title" && places > 0) || matcher.matches(text);
}

type Hydrated = Pick<SearchHit, "turn" | "prompt" | "toolUseId"> & { readonly snippet: Snippet };

function describeHit(
  { id, line, tool, time }: DocRow,
  { session_id, path, project, title, agent_id }: Whereabouts,
  { turn, prompt, toolUseId, snippet }: Hydrated,
): SearchHit {
  return {
    sessionId: session_id,
    path,
    project,
    title: title ?? session_id,
    turn,
    line,
    kind: kindOf(id),
    tool,
    toolUseId,
    timestamp: time === null ? null : new Date(time).toISOString(),
    snippet: snippet.text,
    prompt,
    agentId: agent_id,
    marks: snippet.marks,
  };
}

/** What a sub-agent said belongs to the turn that launched it. */
function createTurnFinder(db: Database): (doc: DocRow, place: Whereabouts) => number | null {
  const launchLine = db.prepare<{ line: number }>(
    `SELECT c.line FROM launches l JOIN calls c ON c.key = l.call AND c.file = l.file
     WHERE l.file = ? AND l.agent_id = ?`,
  );

  return ({ line }, { turn_lines, agent_id, session_file }) => {
    if (turn_lines === null) return null;
    if (agent_id === null) return turnOfLine(turn_lines, line);
    const launch = launchLine.get(session_file, agent_id);
    return launch ? turnOfLine(turn_lines, launch.line) : null;
  };
}

function titleText({ title }: Whereabouts): SearchText | undefined {
  return title === null ? undefined : { kind: "title", text: title };
}

function readText(
  path: string,
  { line, offset, length, part }: DocRow,
  problems: FileProblem[],
): SearchText | undefined {
  return skipUnreadable(path, problems, () => {
    for (const record of readRecordsAt(path, [{ line, offset, length }])) {
      if (record.offset === offset) return searchTexts(record)[part];
    }
    return undefined;
  });
}
