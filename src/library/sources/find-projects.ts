import { basename, dirname } from "node:path";
import { listAt } from "../../collections.js";
import { asString, tryParseJson } from "../../format/json.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { projectSlugs } from "../../format/layout/session-paths.js";
import { readEdge } from "../../format/layout/small-file.js";
import type { FoundSession } from "../found-session.js";

/** A folder that sessions worked in, whether it is still there or not. */
export interface KnownProject {
  readonly folder: string;
  /** Latest first. */
  readonly sessions: readonly FoundSession[];
}

const EDGE_BYTES = 64 * 1024;
/** Of one project folder, until one says where it was. */
const LOOKED_AT = 5;

/** The projects of sessions, from a look at some of each; latest activity first. Sessions that do not say are in none. */
export function findProjects(sessions: readonly FoundSession[]): KnownProject[] {
  const latest = sessions.toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  const byDir = new Map<string, FoundSession[]>();
  for (const session of latest) if (!session.archived) listAt(byDir, dirname(session.path)).push(session);
  const projects = new Map<string, FoundSession[]>();
  for (const [dir, own] of byDir) {
    const folder = folderNamed(basename(dir), own.slice(0, LOOKED_AT));
    if (folder !== undefined) listAt(projects, folder).push(...own);
    else
      for (const session of own) for (const cwd of cwdsOf(session.path).slice(-1)) listAt(projects, cwd).push(session);
  }
  return [...projects].map(([folder, own]) => ({ folder, sessions: own }));
}

/** The folder whose name in Claude Code is `slug`. */
function folderNamed(slug: string, sessions: readonly FoundSession[]): string | undefined {
  for (const { path } of sessions) {
    const named = cwdsOf(path).find((cwd) => projectSlugs(cwd).includes(slug));
    if (named !== undefined) return named;
  }
  return undefined;
}

function cwdsOf(path: string): string[] {
  const edges = (["head", "tail"] as const).map((edge) => attempt(path, [], () => readEdge(path, edge, EDGE_BYTES)));
  const text = Buffer.from(edges.join("\n"), "latin1").toString("utf8");
  const found = [...text.matchAll(/"cwd":("(?:[^"\\]|\\.)*")/g)].map(([, quoted = ""]) =>
    asString(tryParseJson(quoted)),
  );
  return [...new Set(found)].filter((cwd) => cwd !== undefined && cwd !== "") as string[];
}
