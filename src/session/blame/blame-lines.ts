import { createHash } from "node:crypto";
import type { FileCall } from "../../format/record/file-changes.js";
import { applyFileCall } from "../file-history/fold-file.js";
import { alignLines, countLines, type LineSource } from "./align-lines.js";
import { editedLines } from "./edited-lines.js";
import { createLineTable, type LineTable, plainText, splitLines } from "./line-table.js";

/** What is known of a file at one time. */
export type FileMoment = SeenFile | ChangedFile;

interface Moment {
  readonly time: number; // ms since the epoch
  /** The path of the file on its machine: what is known of one path follows upon each other. */
  readonly place: string;
}

export interface SeenFile extends Moment {
  readonly kind: "seen";
  readonly content: string | null; // null: there was no file
}

export interface ChangedFile extends Moment {
  readonly kind: "changed";
  readonly call: FileCall; // a write or an edit that was done
  /** The turn that made it, as a number of the caller; null: a person had a hand in it. */
  readonly turn: number | null;
}

/** A commit that changed the file. */
export interface FileCommit {
  readonly id: string;
  readonly parents: readonly string[]; // those that are in the list
  /** There are earlier commits that are not known: its lines may be theirs. */
  readonly isCut: boolean;
  readonly time: number; // when it was committed
  readonly content: string | null; // null: it removed the file
  /** It was made in the folder of `place`, which since then saw nothing but edits and commits. */
  readonly local: { readonly place: string; readonly since: number } | null;
}

export interface FileHistory {
  /** By time. */
  readonly moments: readonly FileMoment[];
  /** Parents before children. */
  readonly commits: readonly FileCommit[];
  /** The last commit that changed the file, on the branch that is checked out; null: the file is not in it. */
  readonly head: string | null;
  readonly place: string;
  readonly content: string;
  readonly now: number;
}

export type LineOrigin =
  | { readonly kind: "turn"; readonly turn: number; readonly isReformatted: boolean }
  | { readonly kind: "commit"; readonly id: string; readonly isReformatted: boolean }
  | { readonly kind: "unknown" };

/**
 * Who wrote each line of a file. A line belongs to a turn only if a change by this turn brought it and it can be followed from state
 * to state; where the file changed unseen, only if nobody else is known to have written the same line. What is left belongs to
 * the commit that brought it, if it is certain which.
 */
export function blameLines(history: FileHistory): LineOrigin[] {
  const blame = new Blame();
  const { moments, commits } = history;
  let at = 0;
  let latest = Number.NEGATIVE_INFINITY;
  for (const commit of commits) {
    latest = Math.max(latest, commit.time + COMMIT_PRECISION_MS);
    for (let moment = moments[at]; moment && moment.time <= latest; moment = moments[++at]) blame.addMoment(moment);
    blame.addCommit(commit);
  }
  for (const moment of moments.slice(at)) blame.addMoment(moment);
  return blame.finish(history);
}

/** Git notes whole seconds. */
const COMMIT_PRECISION_MS = 999;

type Author = { readonly kind: "turn"; readonly turn: number } | { readonly kind: "commit"; readonly id: string };

interface Origin {
  /** One object for each author; null: unknown. */
  readonly by: Author | null;
  readonly isReformatted: boolean;
}

/** May have brought a line again after a commit had removed it. */
const SOMEBODY: Author = { kind: "commit", id: "" };

const UNKNOWN: Origin = { by: null, isReformatted: false };

interface State {
  readonly text: string;
  readonly lines: Int32Array;
  readonly origins: readonly Origin[];
}

const EMPTY: State = { text: "", lines: new Int32Array(), origins: [] };

class Blame {
  readonly #table: LineTable = createLineTable();
  /** By content: the state that had it first. */
  readonly #known = new Map<string, State>();
  readonly #last = new Map<string, State>(); // by place
  readonly #lastAt = new Map<string, number>();
  /** What edits led to that do not say what they found: a later state with this content proves it. */
  readonly #supposed = new Map<string, State>();
  readonly #commits = new Map<string, State>();
  /** Who brought a line, whatever its spacing. */
  readonly #writers = new Map<number, Set<Author>>();
  readonly #authors = new Map<number | string, Author>();

  addMoment(moment: FileMoment): void {
    const { place, time } = moment;
    this.#lastAt.set(place, time);
    if (moment.kind === "seen") {
      this.#last.set(place, moment.content === null ? EMPTY : this.#arrive(place, moment.content));
      return;
    }
    const { call } = moment;
    const found = call.before === undefined ? undefined : this.#arrive(place, call.before ?? "");
    if (found) this.#last.set(place, found);
    const base = found ?? this.#supposed.get(place) ?? this.#last.get(place);
    const { after } = applyFileCall(call, found && call.before === null ? null : base?.text);
    if (!found) this.#noteWords(moment);
    if (typeof after !== "string") return;
    if (found) this.#last.set(place, this.#change(found, after, moment));
    else if (call.after !== undefined) this.#last.set(place, this.#arrive(place, after));
    else if (base) this.#supposed.set(place, this.#change(base, after, moment));
  }

  addCommit(commit: FileCommit): void {
    if (commit.content === null) {
      this.#commits.set(commit.id, EMPTY);
      return;
    }
    const { text, lines } = this.#read(commit.content);
    const key = keyOf(lines);
    const own = this.#author(commit.id);
    const parents = commit.parents.flatMap((id) => this.#commits.get(id) ?? []);
    const committed = this.#committed(lines, parents, commit.isCut ? UNKNOWN : { by: own, isReformatted: false });
    const same = this.#known.get(key)?.origins;
    const here = this.#follow(this.#leftAt(commit.local), lines);
    const origins = committed.map((origin, at) => {
      const known = same?.[at];
      if (known?.by && (known.by.kind === "turn" || origin.by === own)) return known;
      const left = here[at];
      return origin.by === own && left?.by?.kind === "turn" ? left : origin;
    });
    this.#note(lines, own, (at) => origins[at]?.by === own);
    const left = new Set(lines);
    for (const parent of parents) {
      this.#note(parent.lines, SOMEBODY, (at) => !left.has(parent.lines[at] ?? -1));
    }
    const state = { text, lines, origins };
    this.#commits.set(commit.id, state);
    this.#known.set(key, state);
  }

  finish({ place, content, head }: FileHistory): LineOrigin[] {
    const isKnown = this.#known.has(keyOf(this.#read(content).lines));
    const { lines, origins } = this.#arrive(place, content);
    const committed = this.#follow(head === null ? undefined : this.#commits.get(head), lines);
    return origins.map((origin, at) => {
      const inHead = committed[at]?.by ? committed[at] : undefined;
      const isDoubtful = !isKnown && !this.#table.isStrong(this.#table.withoutSpace(lines[at] ?? -1));
      const { by, isReformatted } = origin.by && !(inHead && isDoubtful) ? origin : (inHead ?? UNKNOWN);
      return by ? { ...by, isReformatted } : { kind: "unknown" };
    });
  }

  /** What was last seen of the file in the folder of a commit, if that led to the commit. */
  #leftAt(local: FileCommit["local"]): State | undefined {
    const isLater = local && (this.#lastAt.get(local.place) ?? Number.NEGATIVE_INFINITY) >= local.since;
    return isLater ? this.#last.get(local.place) : undefined;
  }

  #read(content: string): Pick<State, "text" | "lines"> {
    const text = plainText(content);
    return { text, lines: this.#table.toNumbers(splitLines(text)) };
  }

  #author(id: number | string): Author {
    const known = this.#authors.get(id);
    if (known) return known;
    const author: Author = typeof id === "number" ? { kind: "turn", turn: id } : { kind: "commit", id };
    this.#authors.set(id, author);
    return author;
  }

  /** A content that was found, however it came there. */
  #arrive(place: string, content: string): State {
    const { text, lines } = this.#read(content);
    const key = keyOf(lines);
    const known = this.#known.get(key);
    this.#supposed.delete(place);
    if (known) return { ...known, text };
    const origins = this.#follow(this.#last.get(place), lines);
    const state = { text, lines, origins };
    this.#known.set(key, state);
    return state;
  }

  /**
   * Across changes that nobody saw: lines that nobody else brought. Lines that say little, such as a bracket, are followed between
   * two of these, or one and an end of the file.
   */
  #follow(before: State | undefined, lines: Int32Array): Origin[] {
    const origins = new Array<Origin>(lines.length).fill(UNKNOWN);
    if (!before) return origins;
    const sources = alignLines(before.lines, lines, this.#table, { isOneStep: false });
    const followed = sources.map((source) => (source.kind === "kept" ? passed(before, source) : UNKNOWN));
    for (const [start, end] of runsOf(lines.length, (at) => isNext(sources[at - 1], sources[at]))) {
      const [first, last] = [sources[start], sources[end - 1]];
      const isAtStart = start === 0 && first?.kind === "kept" && first.at === 0;
      const isAtEnd = end === lines.length && last?.kind === "kept" && last.at === before.lines.length - 1;
      const isSure = this.#sureLines(lines.subarray(start, end), followed.slice(start, end), isAtStart, isAtEnd);
      for (let at = start; at < end; at++) if (isSure[at - start]) origins[at] = followed[at] ?? UNKNOWN;
    }
    return origins;
  }

  #sureLines(lines: Int32Array, origins: readonly Origin[], isAtStart: boolean, isAtEnd: boolean): boolean[] {
    const known = Array.from(lines, (line, at): boolean | undefined => {
      const by = origins[at]?.by ?? null;
      return this.#table.isStrong(this.#table.withoutSpace(line)) ? by !== null && this.#isOnlyBy(line, by) : undefined;
    });
    const above: boolean[] = [];
    known.forEach((isSure, at) => {
      above[at] = isSure ?? above[at - 1] ?? isAtStart;
    });
    const below: boolean[] = [];
    for (let at = known.length - 1; at >= 0; at--) below[at] = known[at] ?? below[at + 1] ?? isAtEnd;
    return known.map((_, at) => (above[at] ?? false) && (below[at] ?? false));
  }

  #isOnlyBy(line: number, by: Author): boolean {
    const bare = this.#table.withoutSpace(line);
    const writers = this.#writers.get(bare);
    return writers?.size === 1 && writers.has(by);
  }

  #change(before: State, after: string, { call, turn }: ChangedFile): State {
    const { text, lines } = this.#read(after);
    const key = keyOf(lines);
    const own: Origin = turn === null ? UNKNOWN : { by: this.#author(turn), isReformatted: false };
    const sources =
      editedLines(before.text, text, call.replacements, this.#table) ?? alignLines(before.lines, lines, this.#table);
    const origins = this.#settle(before, lines, sources, own);
    this.#note(lines, own.by ?? SOMEBODY, (at) => sources[at]?.kind !== "kept");
    const known = this.#known.get(key);
    if (known) return { ...known, text };
    const state = { text, lines, origins };
    this.#known.set(key, state);
    return state;
  }

  #settle(before: State, lines: Int32Array, sources: readonly LineSource[], own: Origin): Origin[] {
    const possible = new Map<number, Set<Author | null>>(); // of lines in doubt
    for (const [at, source] of sources.entries()) {
      if (source.kind === "doubt") possible.set(this.#table.withoutSpace(lines[at] ?? -1), new Set([own.by]));
    }
    for (const [at, line] of possible.size > 0 ? before.lines.entries() : []) {
      possible.get(this.#table.withoutSpace(line))?.add(before.origins[at]?.by ?? null);
    }
    return sources.map((source, at) => {
      if (source.kind === "kept") return passed(before, source);
      if (source.kind === "new") return own;
      return possible.get(this.#table.withoutSpace(lines[at] ?? -1))?.size === 1 ? own : UNKNOWN;
    });
  }

  #committed(lines: Int32Array, parents: readonly State[], own: Origin): Origin[] {
    if (parents.length === 0) return new Array<Origin>(lines.length).fill(own);
    const candidates = parents.map((parent) =>
      this.#settle(parent, lines, alignLines(parent.lines, lines, this.#table), own),
    );
    return Array.from(lines, (_, at) => {
      const others = candidates.map((origins) => origins[at] ?? UNKNOWN).filter((origin) => origin !== own);
      const [first = own, ...more] = others.some(({ by }) => by) ? others.filter(({ by }) => by) : others;
      return more.every(({ by }) => by === first.by) ? first : UNKNOWN;
    });
  }

  /** Of a change that does not say what it found: it may have brought the lines of which there are more now. */
  #noteWords({ call, turn, place }: ChangedFile): void {
    const author = turn === null ? SOMEBODY : this.#author(turn);
    for (const { from, to } of call.replacements) this.#noteMore(this.#read(from).lines, this.#read(to).lines, author);
    const last = this.#supposed.get(place) ?? this.#last.get(place);
    if (typeof call.after === "string")
      this.#noteMore(last?.lines ?? EMPTY.lines, this.#read(call.after).lines, author);
  }

  #noteMore(before: Int32Array, after: Int32Array, author: Author): void {
    const [old, fresh] = [countLines(before, this.#table), countLines(after, this.#table)];
    const isMore = (line: number) => (fresh.get(line) ?? 0) > (old.get(line) ?? 0);
    this.#note(after, author, (at) => isMore(this.#table.withoutSpace(after[at] ?? -1)));
  }

  /** Remembers which lines an author brought, or may have brought. */
  #note(lines: Int32Array, author: Author, isTheirs: (at: number) => boolean): void {
    for (const [at, line] of lines.entries()) {
      if (!isTheirs(at)) continue;
      const bare = this.#table.withoutSpace(line);
      const writers = this.#writers.get(bare) ?? new Set<Author>();
      this.#writers.set(bare, writers.add(author));
    }
  }
}

function passed(before: State | undefined, source: Extract<LineSource, { kind: "kept" }>): Origin {
  const origin = before?.origins[source.at] ?? UNKNOWN;
  return source.isReformatted && origin.by && !origin.isReformatted ? { ...origin, isReformatted: true } : origin;
}

/** Runs of places, each of which goes on from the one before. */
function* runsOf(length: number, goesOn: (at: number) => boolean): Generator<readonly [start: number, end: number]> {
  for (let start = 0; start < length; ) {
    let end = start + 1;
    while (end < length && goesOn(end)) end++;
    yield [start, end];
    start = end;
  }
}

function isNext(above: LineSource | undefined, below: LineSource | undefined): boolean {
  return above?.kind === "kept" && below?.kind === "kept" && below.at === above.at + 1;
}

function keyOf(lines: Int32Array): string {
  return createHash("sha256").update(new Uint8Array(lines.buffer)).digest("base64");
}
