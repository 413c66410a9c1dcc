import type { TextKind } from "../../session/search-texts.js";
import type { ScannedText } from "../text-index/file-texts.js";
import { kindOf } from "../text-index/write-docs.js";
import type { SearchedFile, SearchedSession } from "./searched-files.js";

/** A text that matches: in the index, read from its file, or the title of a session. */
export type Match =
  | { readonly source: "index"; readonly file: SearchedFile; readonly id: number }
  | { readonly source: "file"; readonly file: SearchedFile; readonly text: ScannedText }
  | { readonly source: "title" };

/** The matches of one file, in its order. */
export interface FileMatches {
  readonly file: SearchedFile;
  /** Of texts in the index; those that were read from the file follow them. */
  readonly ids: readonly number[];
  readonly scanned: readonly ScannedText[];
}

/** The matches of one session and its sub-agents. */
export class SessionTally {
  readonly files: FileMatches[] = [];
  hasTitle = false;
  /** Of the last match in each file, or of the session where its title matches; ms since the epoch. */
  latest: number | null = null;

  constructor(readonly session: SearchedSession) {}

  get count(): number {
    return this.files.reduce((sum, { ids, scanned }) => sum + ids.length + scanned.length, this.hasTitle ? 1 : 0);
  }

  /** Of what a reader looks for first: the title, then prompts, then anything else. */
  get group(): number {
    if (this.hasTitle) return 0;
    const hasPrompt = this.files.some(
      ({ ids, scanned }) => ids.some((id) => kindOf(id) === "prompt") || scanned.some(({ kind }) => kind === "prompt"),
    );
    return hasPrompt ? 1 : 2;
  }

  note(time: number | null): void {
    if (time !== null && (this.latest === null || time > this.latest)) this.latest = time;
  }

  /** All matches in the order of the session, then of its sub-agents. */
  *inOrder(): Generator<Match> {
    if (this.hasTitle) yield { source: "title" };
    const own = this.files.filter(({ file }) => file.agentId === null);
    const agents = this.files.filter(({ file }) => file.agentId !== null);
    for (const { file, ids, scanned } of [...own, ...agents.sort((a, b) => (a.file.path < b.file.path ? -1 : 1))]) {
      for (const id of ids) yield { source: "index", file, id };
      for (const text of scanned) yield { source: "file", file, text };
    }
  }

  /**
   * What people said and were told first, then what tools did; of equal kinds the latest. Lazy, and grouped: the times within a
   * group are known to the caller only.
   */
  *bestFirst(atMost: number): Generator<readonly Match[]> {
    if (this.hasTitle) yield [{ source: "title" }];
    for (const kinds of KIND_GROUPS) {
      yield this.files.flatMap(({ file, ids, scanned }) => [
        ...lastOf(ids, atMost, (id) => kinds.includes(kindOf(id))).map((id): Match => ({ source: "index", file, id })),
        ...lastOf(scanned, atMost, ({ kind }) => kinds.includes(kind)).map(
          (text): Match => ({ source: "file", file, text }),
        ),
      ]);
    }
  }
}

const KIND_GROUPS: readonly (readonly TextKind[])[] = [
  ["prompt"],
  ["answer"],
  ["command"],
  ["thinking"],
  ["toolInput", "file"],
  ["toolOutput"],
  ["context"],
];

function lastOf<T>(list: readonly T[], atMost: number, isWanted: (item: T) => boolean): T[] {
  const found: T[] = [];
  for (let at = list.length - 1; at >= 0 && found.length < atMost; at--) {
    const item = list[at];
    if (item !== undefined && isWanted(item)) found.push(item);
  }
  return found;
}

/**
 * Best first: sessions with a match in the title, then with one in a prompt, then all others; within these those with ten times as
 * many matches, then the latest. From the matches alone, so that the order is the same with and without an index.
 */
export function rankSessions(tallies: Iterable<SessionTally>): SessionTally[] {
  const ranked = Array.from(tallies, (tally) => {
    const { group, count, latest } = tally;
    return {
      tally,
      group,
      magnitude: Math.floor(Math.log10(Math.max(1, count))),
      latest: latest ?? Number.NEGATIVE_INFINITY,
    };
  });
  return ranked
    .sort(
      (a, b) =>
        a.group - b.group ||
        b.magnitude - a.magnitude ||
        compareTimes(b.latest, a.latest) ||
        (a.tally.session.path < b.tally.session.path ? -1 : 1),
    )
    .map(({ tally }) => tally);
}

function compareTimes(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
