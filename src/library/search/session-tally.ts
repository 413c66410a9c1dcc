import { listAt } from "../../collections.js";
import type { TextKind } from "../../session/search-texts.js";
import type { ScannedText } from "../text-index/file-texts.js";
import type { DocIds } from "../text-index/find-docs.js";
import { KIND_STEP, KINDS, kindOf } from "../text-index/write-docs.js";
import type { FoundFile, SearchedSession } from "./searched-files.js";

/** A text that matches: in the index, read from its file, or the title of a session. */
export type Match =
  | { readonly source: "index"; readonly file: FoundFile; readonly id: number }
  | { readonly source: "file"; readonly file: FoundFile; readonly text: ScannedText }
  | { readonly source: "title" };

/** The matches of one file, in its order. */
export interface FileMatches {
  readonly file: FoundFile;
  /** Of texts in the index; those that were read from the file follow them. */
  readonly ids: DocIds;
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
    const isPrompted = this.files.some(
      ({ ids, scanned }) => hasPrompt(ids) || scanned.some(({ kind }) => kind === "prompt"),
    );
    return isPrompted ? 1 : 2;
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

const PROMPT = KINDS.indexOf("prompt");

function hasPrompt(ids: DocIds): boolean {
  for (let at = 0; at < ids.length; at++) if ((ids[at] ?? 0) % KIND_STEP === PROMPT) return true;
  return false;
}

function lastOf<T>(list: ArrayLike<T>, atMost: number, isWanted: (item: T) => boolean): T[] {
  const found: T[] = [];
  for (let at = list.length - 1; at >= 0 && found.length < atMost; at--) {
    const item = list[at];
    if (item !== undefined && isWanted(item)) found.push(item);
  }
  return found;
}

/**
 * Those from one place to another, best first: sessions with a match in the title, then with one in a prompt, then all others;
 * within these those with ten times as many matches, then the latest. From the matches alone, so that the order is the same with
 * and without an index. `noteTimes` is asked only for sessions whose order depends on it.
 */
export function rankSessions(
  tallies: readonly SessionTally[],
  noteTimes: (tallies: readonly SessionTally[]) => void,
  from: number,
  to: number,
): SessionTally[] {
  const alike = new Map<number, SessionTally[]>();
  for (const tally of tallies) {
    const { group, count } = tally;
    listAt(alike, group * MAGNITUDES - Math.floor(Math.log10(Math.max(1, count)))).push(tally);
  }
  const ranked: SessionTally[] = [];
  let at = 0;
  for (const [, same] of [...alike].sort(([a], [b]) => a - b)) {
    const [first, last] = [Math.max(0, from - at), Math.max(0, to - at)];
    at += same.length;
    if (first >= same.length || last === 0) continue;
    noteTimes(same);
    ranked.push(...same.sort(latestFirst).slice(first, last));
  }
  return ranked;
}

/** More than a number of matches has digits. */
const MAGNITUDES = 100;

function latestFirst(a: SessionTally, b: SessionTally): number {
  const [one, other] = [a.latest ?? Number.NEGATIVE_INFINITY, b.latest ?? Number.NEGATIVE_INFINITY];
  if (one !== other) return other - one;
  return a.session.path < b.session.path ? -1 : 1;
}
