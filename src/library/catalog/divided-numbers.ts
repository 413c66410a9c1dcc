import { countLeading, listAt } from "../../collections.js";
import type { Database } from "../../store/sqlite.js";
import type { UserData } from "../found-session.js";
import { isWithin, readMerged, type SessionNumbers, selectSpans, sortCopies } from "./library-numbers.js";
import { CALLS, MESSAGES, type NumberKind, readRows, TURNS } from "./number-kinds.js";
import { type NumbersFilter, type OwningSession, readScope, type Scope } from "./numbers-scope.js";

/** The numbers of a session up to a moment. */
export interface NumbersPart extends SessionNumbers {
  /** Ms since the epoch; null: what came after the last moment, or has no time. */
  readonly until: number | null;
}

interface Division {
  readonly db: Database;
  readonly scope: Scope;
  readonly filter: NumbersFilter;
  partOf(session: OwningSession, time: number | null): GrowingPart | undefined;
}

interface GrowingPart extends NumbersPart {
  readonly messages: SessionNumbers["messages"][number][];
  readonly calls: SessionNumbers["calls"][number][];
  readonly turns: SessionNumbers["turns"][number][];
}

/**
 * The numbers of some sessions, each divided at the moments (ms since the epoch) that belong to its path, as `readLibraryNumbers` counts
 * them: together the parts of a session are its numbers. What happened at a moment belongs to the part before it.
 */
export function readDividedNumbers(
  db: Database,
  roots: readonly string[],
  filter: NumbersFilter,
  userData: UserData,
  momentsOf: ReadonlyMap<string, readonly number[]>,
): NumbersPart[] {
  const scope = readScope(db, roots, filter, userData);
  const parts = new Map<string, { readonly moments: readonly number[]; readonly all: readonly GrowingPart[] }>();
  for (const session of new Set(scope.chosen.values())) {
    const moments = [...new Set(momentsOf.get(session.path) ?? [])].sort((a, b) => a - b);
    if (moments.length === 0) continue;
    const create = (until: number | null) => ({ session, until, messages: [], calls: [], turns: [] });
    parts.set(session.path, { moments, all: [...moments, null].map(create) });
  }
  const partOf: Division["partOf"] = ({ path }, time) => {
    const { moments, all } = parts.get(path) ?? NOT_DIVIDED;
    return all[time === null ? moments.length : countLeading(moments.length, (at) => (moments[at] ?? 0) < time)];
  };
  const division = { db, scope, filter, partOf };
  addKind(division, MESSAGES, (part) => part.messages);
  addKind(division, CALLS, (part) => part.calls);
  addKind(division, TURNS, (part) => part.turns);
  return [...parts.values()]
    .flatMap(({ all }) => all)
    .map((part) => ({ ...selectSpans(part, filter), until: part.until }));
}

const NOT_DIVIDED = { moments: [], all: [] };

function addKind<Figures extends { readonly time: number | null }, Span extends { readonly slot: number }>(
  { db, scope, filter, partOf }: Division,
  kind: NumberKind<Figures, Span>,
  listOf: (part: GrowingPart) => Span[],
): void {
  const counted = new Map<GrowingPart, Figures[]>();
  const cancelled = new Map<GrowingPart, Figures[]>();
  const add = (sums: typeof counted, session: OwningSession, figures: Figures) => {
    const part = partOf(session, figures.time);
    if (part) listAt(sums, part).push(figures);
  };
  for (const [file, session] of scope.chosen) {
    if (!partOf(session, null)) continue;
    for (const row of readRows(db, kind, file)) if (isWithin(row.time, filter)) add(counted, session, row);
  }
  const copies = sortCopies(readMerged(db, kind, scope), scope, filter);
  for (const [session, all] of copies.counted) for (const figures of all) add(counted, session, figures);
  for (const [session, all] of copies.cancelled) for (const figures of all) add(cancelled, session, figures);
  for (const [part, all] of counted) listOf(part).push(...kind.gather(all));
  for (const [part, all] of cancelled) listOf(part).push(...kind.gather(all).map(kind.negate));
}
