import type { Database } from "../../store/sqlite.js";
import { parseTurnLines, parseTurnStarts, type TurnLookup } from "../catalog/turn-lines.js";

/** Where a text is in its file; `part` counts the texts of a record. */
export interface DocPlace {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly part: number;
}

/** A text with its file and session. */
interface DocRow extends DocPlace {
  readonly id: number;
  readonly tool: string | null;
  readonly time: number | null;
  readonly path: string;
  readonly archive: string | null; // folder of its copy, where only the archive still has it
  readonly sessionId: string;
  readonly agentId: string | null;
  readonly sessionPath: string;
  readonly sessionFile: number | null;
  readonly project: string | null;
  readonly title: string | null;
  readonly launchLine: number | null; // of the call that launched the sub-agent
}

/** The same with its turn. */
export interface PlacedDoc extends DocRow {
  readonly turn: number | null;
  /** Where the turn's prompt is, in the session's file. */
  readonly prompt: DocPlace | undefined;
}

const SELECT_ROWS = `
  SELECT d.id, d.line, d.offset, d.length, d.part, d.tool, d.time, f.path, f.archive, f.session_id AS sessionId,
    f.agent_id AS agentId, coalesce(f.owner, f.path) AS sessionPath, o.id AS sessionFile, s.project, s.title,
    (SELECT c.line FROM launches l JOIN calls c ON c.key = l.call AND c.file = l.file
      WHERE l.file = o.id AND (l.agent_id = f.agent_id OR f.path LIKE '%workflows_' || l.agent_id || '_agent-%')
    ) AS launchLine
  FROM json_each(?) wanted CROSS JOIN docs d ON d.id = wanted.value JOIN files f ON f.id = d.file
    LEFT JOIN files o ON o.path = coalesce(f.owner, f.path) LEFT JOIN sessions s ON s.file = o.id`;

/** A record may have several texts: the first one is the prompt. */
const SELECT_FIRST_AT = `
  SELECT wanted.key AS at, min(d.id), d.length, d.part
  FROM json_each(?) wanted CROSS JOIN docs d ON d.file = json_extract(wanted.value, '$[0]')
    AND d.line = json_extract(wanted.value, '$[1]') AND d.offset = json_extract(wanted.value, '$[2]')
  GROUP BY wanted.key`;

/** Where the turns of a session are. */
interface SessionTurns {
  readonly turnOf: TurnLookup;
  readonly starts: readonly (readonly [line: number, offset: number])[];
}

/** By the number of the session's file. A session may have thousands of turns and hits: they are read once for all of them. */
export type KnownTurns = Map<number, SessionTurns>;

const SELECT_TURNS = "SELECT turn_lines AS lines, turn_starts AS starts FROM sessions WHERE file = ?";

/** Skips texts that are no longer in the index; keeps the order. */
export function placeDocs(db: Database, ids: readonly number[], known: KnownTurns = new Map()): PlacedDoc[] {
  const rows = new Map(
    db
      .prepare<DocRow>(SELECT_ROWS)
      .all(JSON.stringify(ids))
      .map((row) => [row.id, row]),
  );
  const found = ids.map((id) => rows.get(id)).filter((row) => row !== undefined);
  const select = db.prepare<{ lines: string; starts: string }>(SELECT_TURNS);
  const turns = (file: number | null): SessionTurns => {
    const read = known.get(file ?? -1) ?? parseTurns(file === null ? undefined : select.get(file));
    known.set(file ?? -1, read);
    return read;
  };
  const placed = found.map((row) => ({ ...row, turn: turnOf(row, turns(row.sessionFile)) }));
  const prompts = findPrompts(db, placed, turns);
  return placed.map((doc, at) => ({ ...doc, prompt: prompts[at] }));
}

function parseTurns(row: { readonly lines: string; readonly starts: string } | undefined): SessionTurns {
  return { turnOf: parseTurnLines(row?.lines ?? ""), starts: parseTurnStarts(row?.starts ?? "[]") };
}

/** Texts of a sub-agent belong to the turn that launched it. */
function turnOf({ agentId, line, launchLine }: DocRow, turns: SessionTurns): number | null {
  const place = agentId === null ? line : launchLine;
  return place === null ? null : turns.turnOf(place);
}

function findPrompts(
  db: Database,
  docs: readonly Omit<PlacedDoc, "prompt">[],
  turns: (file: number | null) => SessionTurns,
): (DocPlace | undefined)[] {
  const starts = docs.map(({ turn, sessionFile }) => turns(sessionFile).starts[(turn ?? 0) - 1]);
  const wanted = docs.map(({ sessionFile }, at) => [sessionFile, ...(starts[at] ?? [])]);
  const select = db.prepare<{ at: number; length: number; part: number }>(SELECT_FIRST_AT);
  const places = new Map(select.all(JSON.stringify(wanted)).map(({ at, length, part }) => [at, { length, part }]));
  return starts.map((start, at) => {
    const place = places.get(at);
    return start && place && { line: start[0], offset: start[1], ...place };
  });
}
