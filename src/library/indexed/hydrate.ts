import type { FileProblem } from "../../format/folder-listing.js";
import { readRecordsAt } from "../../format/record-reader.js";
import { searchTexts } from "../../session/search-texts.js";
import type { Database } from "../../store/sqlite.js";
import { hitSnippet, type Mask, promptLine } from "../hit-snippet.js";
import type { Knowledge } from "../known-facts.js";
import type { SearchHit } from "../search-hit.js";
import type { TextMatcher } from "../search-request.js";
import { skipUnreadable } from "../skip-unreadable.js";
import type { Snippet } from "../snippet.js";
import { createOpener } from "./archived-files.js";
import type { DocRow } from "./find-docs.js";
import { firstLineOf, turnOfLine } from "./turn-lines.js";
import { kindOf } from "./write-docs.js";

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
}

const SELECT_WHEREABOUTS = `
  SELECT f.path, f.archive, f.session_id, f.agent_id, coalesce(f.owner, f.path) AS session_path, o.id AS session_file,
    s.project, s.title, s.turn_lines
  FROM files f LEFT JOIN files o ON o.path = coalesce(f.owner, f.path) LEFT JOIN sessions s ON s.file = o.id
  WHERE f.id = ?`;

export interface Hydrator {
  /** Undefined when the text is no longer where the index saw it, or does not match after all. */
  toHit(doc: DocRow, matcher: TextMatcher): SearchHit | undefined;
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
  const launchLine = db.prepare<{ line: number }>(
    `SELECT c.line FROM launches l JOIN calls c ON c.key = l.call AND c.file = l.file
     WHERE l.file = ? AND l.agent_id = ?`,
  );
  const docAt = db.prepare<DocRow>(
    "SELECT id, file, line, offset, length, part FROM docs WHERE file = ? AND line = ? ORDER BY id LIMIT 1",
  );

  /** What a sub-agent said belongs to the turn that launched it. */
  function turnOf({ line }: DocRow, place: Whereabouts): number | null {
    if (place.turn_lines === null) return null;
    if (place.agent_id === null) return turnOfLine(place.turn_lines, line);
    const launch = launchLine.get(place.session_file, place.agent_id);
    return launch ? turnOfLine(place.turn_lines, launch.line) : null;
  }

  /** The title that a person gave stands in for the session's own. */
  function withOwnTitle(place: Whereabouts | undefined): Whereabouts | undefined {
    return place && { ...place, title: marks?.get(place.session_id)?.title ?? place.title };
  }

  function textOf(doc: DocRow, { path, archive: copy, title }: Whereabouts): string | undefined {
    return kindOf(doc.id) === "title" ? (title ?? undefined) : readText(open(path, copy), doc, problems);
  }

  function promptOf(
    turn: number | null,
    { session_file, session_path, turn_lines, archive: copy }: Whereabouts,
  ): string | null {
    const line = turn === null ? undefined : firstLineOf(turn_lines ?? "", turn);
    const doc = line === undefined ? undefined : docAt.get(session_file, line);
    const text = doc && readText(open(session_path, copy), doc, problems);
    return text === undefined ? null : promptLine(text, mask);
  }

  return {
    toHit(doc, matcher) {
      const place = withOwnTitle(whereabouts.get(doc.file));
      const text = place && textOf(doc, place);
      if (!place || text === undefined || !matcher.matches(text)) return undefined;
      const turn = turnOf(doc, place);
      return describeHit(doc, place, { turn, prompt: promptOf(turn, place), snippet: hitSnippet(text, matcher, mask) });
    },
  };
}

function describeHit(
  { id, line, tool, tool_use_id, time }: DocRow,
  { session_id, path, project, title, agent_id }: Whereabouts,
  { turn, prompt, snippet }: Pick<SearchHit, "turn" | "prompt"> & { readonly snippet: Snippet },
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
    toolUseId: tool_use_id,
    timestamp: time === null ? null : new Date(time).toISOString(),
    snippet: snippet.text,
    prompt,
    agentId: agent_id,
    marks: snippet.marks,
  };
}

function readText(path: string, { line, offset, length, part }: DocRow, problems: FileProblem[]): string | undefined {
  return skipUnreadable(path, problems, () => {
    for (const record of readRecordsAt(path, [{ line, offset, length }])) {
      if (record.offset === offset) return searchTexts(record)[part]?.text;
    }
    return undefined;
  });
}
