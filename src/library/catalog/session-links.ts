import { listAt } from "../../collections.js";
import type { Database } from "../../store/sqlite.js";
import { type LinkCells, unpackLinks } from "../entries/summary-cells.js";
import { joinLinks, type SessionLinks } from "../load/session-summary.js";
import { belowRoots, boundsOf } from "../sources/below-roots.js";

const EMPTY: LinkCells = [[], []];

/** The pull requests and commits of the sessions below the roots that have any, by the path of the session. */
export function readSessionLinks(db: Database, roots: readonly string[]): ReadonlyMap<string, SessionLinks> {
  const below = belowRoots(roots, "+f.path");
  const none = JSON.stringify(EMPTY);
  const own = `SELECT f.path AS path, json_extract(s.summary, '$[14]') AS links FROM sessions s JOIN files f ON f.id = s.file WHERE ${below}`;
  const agents = `SELECT f.owner AS path, a.links AS links FROM agents a JOIN files f ON f.id = a.file WHERE f.owner IS NOT NULL AND ${below}`;
  const select = db.prepare<{ path: string; links: string }>(
    `SELECT path, links FROM (${own} UNION ALL ${agents}) WHERE links <> '${none}'`,
  );
  const found = new Map<string, SessionLinks[]>();
  for (const { path, links } of select.all(...boundsOf(roots), ...boundsOf(roots))) {
    listAt(found, path).push(unpackLinks(JSON.parse(links) as LinkCells));
  }
  return new Map([...found].map(([path, links]) => [path, joinLinks(links)]));
}
