import type { Database } from "../../store/sqlite.js";
import { startOfTurn, turnOfLine } from "../catalog/turn-lines.js";

/** Where a text is in its file; `part` counts the texts of a record. */
export interface DocPlace {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly part: number;
}

/** A text with its file, session and turn. */
export interface PlacedDoc extends DocPlace {
  readonly id: number;
  readonly tool: string | null;
  readonly time: number | null;
  readonly path: string;
  readonly archive: string | null; // folder of its copy, where only the archive still has it
  readonly sessionId: string;
  readonly agentId: string | null;
  readonly sessionPath: string;
  readonly project: string | null;
  readonly title: string | null;
  readonly turn: number | null;
  /** Where the turn's prompt is, in the session's file. */
  readonly prompt: DocPlace | undefined;
}

type Cells = readonly [
  id: number,
  line: number,
  offset: number,
  length: number,
  part: number,
  tool: string | null,
  time: number | null,
  path: string,
  archive: string | null,
  sessionId: string,
  agentId: string | null,
  sessionPath: string,
  sessionFile: number | null,
  project: string | null,
  title: string | null,
  turnLines: string | null,
  turnStarts: string | null,
  launchLine: number | null,
];

/** One query for all texts. Texts of a sub-agent belong to the turn that launched it. */
const SELECT_PLACED = `
  SELECT json_group_array(json_array(d.id, d.line, d.offset, d.length, d.part, d.tool, d.time, f.path, f.archive,
    f.session_id, f.agent_id, coalesce(f.owner, f.path), o.id, s.project, s.title, s.turn_lines, s.turn_starts,
    (SELECT c.line FROM launches l JOIN calls c ON c.key = l.call AND c.file = l.file
      WHERE l.file = o.id AND l.agent_id = f.agent_id))) AS rows
  FROM json_each(?) wanted CROSS JOIN docs d ON d.id = wanted.value JOIN files f ON f.id = d.file
    LEFT JOIN files o ON o.path = coalesce(f.owner, f.path) LEFT JOIN sessions s ON s.file = o.id`;

/** A record may have several texts: the first one is the prompt. */
const SELECT_FIRST_AT = `
  SELECT json_group_array(json_array(place, length, part)) AS rows FROM (
    SELECT wanted.key AS place, min(d.id), d.length, d.part
    FROM json_each(?) wanted CROSS JOIN docs d ON d.file = json_extract(wanted.value, '$[0]')
      AND d.line = json_extract(wanted.value, '$[1]') AND d.offset = json_extract(wanted.value, '$[2]')
    GROUP BY wanted.key)`;

/** Skips texts that are no longer in the index; keeps the order. */
export function placeDocs(db: Database, ids: readonly number[]): PlacedDoc[] {
  const rows = new Map(readRows<Cells>(db, SELECT_PLACED, ids).map((cells) => [cells[0], cells]));
  const found = ids.map((id) => rows.get(id)).filter((cells) => cells !== undefined);
  const turns = found.map(turnOf);
  const prompts = findPrompts(db, found, turns);
  return found.map((cells, at) => toPlaced(cells, turns[at] ?? null, prompts[at]));
}

function readRows<Row>(db: Database, sql: string, wanted: readonly unknown[]): Row[] {
  return JSON.parse(db.prepare<{ rows: string }>(sql).get(JSON.stringify(wanted))?.rows ?? "[]") as Row[];
}

function turnOf(cells: Cells): number | null {
  const [line, isAgents, turnLines, launchLine] = [cells[1], cells[10] !== null, cells[15], cells[17]];
  const place = isAgents ? launchLine : line;
  return turnLines === null || place === null ? null : turnOfLine(turnLines, place);
}

function findPrompts(
  db: Database,
  found: readonly Cells[],
  turns: readonly (number | null)[],
): (DocPlace | undefined)[] {
  const starts = found.map((cells, at) => {
    const turn = turns[at] ?? null;
    return turn === null ? undefined : startOfTurn(cells[16] ?? "[]", turn);
  });
  const wanted = found.map((cells, at) => [cells[12], ...(starts[at] ?? [])]);
  const rows = readRows<[at: number, length: number, part: number]>(db, SELECT_FIRST_AT, wanted);
  const places = new Map(rows.map(([at, length, part]) => [at, { length, part }]));
  return starts.map((start, at) => {
    const place = places.get(at);
    return start && place && { line: start[0], offset: start[1], length: place.length, part: place.part };
  });
}

/** Cells are read by index: destructuring them takes longer. */
function toPlaced(cells: Cells, turn: number | null, prompt: DocPlace | undefined): PlacedDoc {
  return {
    id: cells[0],
    line: cells[1],
    offset: cells[2],
    length: cells[3],
    part: cells[4],
    tool: cells[5],
    time: cells[6],
    path: cells[7],
    archive: cells[8],
    sessionId: cells[9],
    agentId: cells[10],
    sessionPath: cells[11],
    project: cells[13],
    title: cells[14],
    turn,
    prompt,
  };
}
