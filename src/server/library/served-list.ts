import { withoutCopies } from "../../app/without-repeats.js";
import { owningSessionFile } from "../../format/layout/session-paths.js";
import { listLibrary } from "../../library/catalog/list-catalog.js";
import type { Index } from "../../library/catalog/open-index.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { byLatestActivity, type SessionSummary } from "../../library/load/session-summary.js";
import type { LibrarySync } from "./library-sync.js";

/** All sessions, as of one generation of the index and one state of the user's marks. */
export interface ServedList {
  readonly generation: number;
  readonly options: LoadOptions;
  /** Latest activity first; of several files with one id, the latest. */
  readonly sessions: readonly SessionSummary[];
  readonly byId: ReadonlyMap<string, SessionSummary>;
  /** Including all files with the same id. */
  readonly copies: readonly SessionSummary[];
}

/** Growing sessions are among the latest. Listing 50 takes milliseconds, listing ten thousand does not. */
const LATEST = 50;

interface ListSources {
  readonly roots: readonly string[];
  loadOptions(): Promise<LoadOptions>;
  withIndex<T>(use: (index: Index | undefined) => T): Promise<T>;
  readonly sync: Pick<LibrarySync, "generation" | "grownSince">;
}

/** Returns the current list. Where sessions only grew, just those are read from the index again. */
export function createServedList({ roots, loadOptions, withIndex, sync }: ListSources): () => Promise<ServedList> {
  let listed: ServedList | undefined;

  const list = (options: LoadOptions, limit?: number) =>
    withIndex(async (index) => {
      if (!index && limit !== undefined) return undefined;
      return (await listLibrary(index, undefined, roots, limit === undefined ? {} : { limit }, options)).sessions;
    });

  async function refreshGrown(
    { generation, copies }: ServedList,
    options: LoadOptions,
  ): Promise<SessionSummary[] | undefined> {
    const grown = sync.grownSince(generation);
    const latest = grown && (await list(options, LATEST));
    const byPath = new Map(latest?.map((session) => [session.path, session]));
    const paths = new Set(grown?.map(owningSessionFile));
    if (!latest || [...paths].some((path) => !byPath.has(path))) return undefined;
    return copies.map((session) => (paths.has(session.path) ? (byPath.get(session.path) ?? session) : session));
  }

  return async () => {
    const options = await loadOptions();
    const { generation } = sync;
    if (listed?.options === options && listed.generation === generation) return listed;
    const grown = listed?.options === options ? await refreshGrown(listed, options) : undefined;
    const copies = grown?.sort(byLatestActivity) ?? (await list(options)) ?? [];
    const sessions = withoutCopies(copies);
    listed = { generation, options, copies, sessions, byId: new Map(sessions.map((session) => [session.id, session])) };
    return listed;
  };
}
