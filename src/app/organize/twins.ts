import { once } from "../../lazy.js";
import { type CopyRelation, compareCopies } from "../../library/machines/compare-copies.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { ownRoots, type RootOptions } from "../session-roots.js";
import type { Environment } from "../settings.js";
import { cachedMachines } from "./sync.js";

/** A session of another machine that is here as well, under the same id. */
export interface Twin {
  readonly id: string;
  readonly machine: string;
  readonly relation: CopyRelation;
  /** On this machine's disk, of both. */
  readonly path: string;
  readonly pathHere: string;
}

/** Tells of a session of another machine whether it is here too. Own sessions are looked for only where there are such. */
export async function openTwins(
  environment: Environment,
  options: RootOptions,
): Promise<(session: { readonly id: string; readonly path: string }) => Twin | null> {
  const machines = await cachedMachines(environment);
  const roots = await ownRoots(environment, options);
  const own = once(() => new Map(findSessions(roots).sessions.map((found) => [found.id, found.path])));
  return ({ id, path }) => {
    const machine = machines.find(({ cache }) => path.startsWith(cache.root));
    const pathHere = machine && own().get(id);
    if (pathHere === undefined) return null;
    return { id, machine: machine?.name ?? "", relation: compareCopies(pathHere, path), path, pathHere };
  };
}

const WORDS: Readonly<Record<CopyRelation, string>> = {
  same: "the same as here",
  ahead: "longer than here",
  behind: "shorter than here",
  fork: "forked",
};

export function describeTwin({ relation }: Pick<Twin, "relation">): string {
  return WORDS[relation];
}
