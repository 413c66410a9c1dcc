import { existsSync } from "node:fs";
import { listAt } from "../../collections.js";
import { readJobs } from "../../format/layout/registry-files.js";
import { configRootOf } from "../../format/layout/session-paths.js";
import {
  type Origin,
  originOf,
  type Relation,
  relationVia,
  type SessionRelations,
} from "../../session/facts/relations.js";
import type { Database } from "../../store/sqlite.js";
import type { LineageEntry } from "../../store/user-schema.js";
import { belowRoots, boundsOf } from "../sources/below-roots.js";

/** One step from a session to one that was made of it. */
export interface Descent {
  readonly id: string;
  readonly source: string;
  readonly relation: Relation;
  /** Of turnlog; null: made by Claude Code. */
  readonly command: string | null;
  readonly at: string | null;
  readonly path: string | null; // null: no longer there
  readonly sourcePath: string | null;
  readonly evidence: "turnlog" | "continued-in" | "job" | Origin["evidence"];
}

/** A session and what its records say about others. */
export interface RelatedSession {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly startedAt: string | null;
  readonly relations: SessionRelations;
}

/** All sessions below the roots that say something about others, or that others may speak of. */
export function readRelations(db: Database, roots: readonly string[]): RelatedSession[] {
  const sql = `SELECT json_group_array(json_array(f.session_id, f.path, s.title, json_extract(s.summary, '$[0]'),
      json(s.relations))) AS rows
    FROM sessions s CROSS JOIN files f ON f.id = s.file WHERE ${belowRoots(roots, "f.path")}`;
  type Row = readonly [string, string, string, string | null, SessionRelations];
  const rows = JSON.parse(db.prepare<{ rows: string }>(sql).get(...boundsOf(roots))?.rows ?? "[]") as Row[];
  return rows.map(([id, path, title, startedAt, relations]) => ({ id, path, title, startedAt, relations }));
}

/**
 * Every step that is known, from both ends: of what a session was made, and in which one it goes on. What turnlog made it knows
 * itself; of the rest the job of a background session and the session that goes on elsewhere know more than copied records.
 */
export function findDescents(sessions: readonly RelatedSession[], made: readonly LineageEntry[]): Descent[] {
  // A session that turnlog made may be outside of all folders, or may have been moved since.
  const written = made.filter(({ path }) => existsSync(path)).map(({ session, path }) => [session, path] as const);
  const places = new Map([...written, ...sessions.map(({ id, path }) => [id, path] as const)]);
  const madeIds = new Set(made.map(({ session }) => session));
  const steps = new Map<string, Descent>();
  const add = (step: Omit<Descent, "path" | "sourcePath">) => {
    const key = `${step.id} ${step.source}`;
    if (step.id === step.source || steps.has(key)) return;
    steps.set(key, { ...step, path: places.get(step.id) ?? null, sourcePath: places.get(step.source) ?? null });
  };
  for (const { session: id, source, command, at } of made) {
    add({ id, source, relation: "copied", command, at, evidence: "turnlog" });
  }
  const continued = new Set<string>();
  for (const { id: source, relations } of sessions) {
    const { continuedIn: next } = relations;
    if (!next || madeIds.has(next.sessionId)) continue;
    continued.add(next.sessionId);
    const relation = "continued";
    add({ id: next.sessionId, source, relation, command: null, at: next.at, evidence: "continued-in" });
  }
  const parentOf = jobParents(sessions);
  for (const session of sessions) {
    if (madeIds.has(session.id) || continued.has(session.id)) continue;
    for (const origin of originsOf(session, parentOf.get(session.id))) {
      add({ id: session.id, command: null, at: madeAt(session), ...origin });
    }
  }
  return [...steps.values()];
}

type FoundOrigin = Pick<Descent, "source" | "relation" | "evidence">;

function originsOf({ relations }: RelatedSession, jobParent: string | undefined): FoundOrigin[] {
  const recorded = originOf(relations);
  const direct: FoundOrigin | undefined =
    jobParent !== undefined
      ? { source: jobParent, relation: "forked", evidence: "job" }
      : recorded
        ? { source: recorded.sessionId, relation: recorded.relation, evidence: recorded.evidence }
        : undefined;
  const others = relations.derivedFrom.map(
    ({ sessionId, via }): FoundOrigin => ({ source: sessionId, relation: relationVia(via), evidence: "derived-from" }),
  );
  return [...(direct ? [direct] : []), ...others];
}

/** The copies are as old as their originals, so the newest of them tells best when it was made. */
function madeAt({ relations, startedAt }: RelatedSession): string | null {
  return relations.copiedFrom?.at ?? startedAt;
}

/** By the session that /fork made; copied records may name only the source's own source. */
function jobParents(sessions: readonly RelatedSession[]): Map<string, string> {
  const roots = new Set(
    sessions.filter(({ relations }) => relations.isBackground).map(({ path }) => configRootOf(path)),
  );
  return new Map(
    [...roots]
      .flatMap((root) => readJobs(root))
      .flatMap(({ sessionId, forkParentSessionId: parent }) =>
        sessionId !== null && parent !== null ? [[sessionId, parent] as const] : [],
      ),
  );
}

/** The ancestors and descendants of a session. */
export function familyOf(id: string, steps: readonly Descent[]): Descent[] {
  const above = closure(id, steps, ({ id: own, source }) => [own, source]);
  const below = closure(id, steps, ({ id: own, source }) => [source, own]);
  return steps.filter((step) => above.has(step) || below.has(step));
}

/** The steps that lead away from a session, in one direction. */
function closure(
  id: string,
  steps: readonly Descent[],
  ends: (step: Descent) => readonly [string, string],
): Set<Descent> {
  const from = new Map<string, Descent[]>();
  for (const step of steps) listAt(from, ends(step)[0]).push(step);
  const found = new Set<Descent>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const step of from.get(at) ?? []) {
      if (found.has(step)) continue;
      found.add(step);
      open.push(ends(step)[1]);
    }
  }
  return found;
}
