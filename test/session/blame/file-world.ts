import { structuredPatch } from "diff";
import type { FileCall, Replacement } from "../../../src/format/record/file-changes.js";
import type { FileCommit, FileHistory, FileMoment } from "../../../src/session/blame/blame-lines.js";
import { relate, type TrueLine, take } from "./true-lines.js";

/*
 * An invented history of one file, of which the truth is known: sessions edit it with and without full records, persons and commands
 * change it unseen, commits are made here and elsewhere, branches are merged, rebased, squashed and dropped.
 */

export interface World extends FileHistory {
  readonly truth: readonly TrueLine[];
}

const PLACE = "/home/dev/shop/cart.ts";
const START = Date.UTC(2026, 0, 1);

type Random = (limit: number) => number;

function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const WEAK = ["", "}", "{", "  }", "end", "});", "return;", "else"];
const COMMON = [
  "import os from 'os';",
  "logger.info('done');",
  "if (items.length === 0) return;",
  "  total += item.price;",
];

export interface WorldOptions {
  readonly seed: number;
  readonly steps: number;
  /** Without one there are only sessions and persons. */
  readonly hasRepository: boolean;
}

interface Change {
  readonly at: number;
  readonly removed: readonly TrueLine[];
  readonly added: readonly TrueLine[];
}

interface Commit {
  readonly id: string;
  readonly parents: readonly Commit[];
  readonly lines: readonly TrueLine[];
}

class WorldMaker {
  readonly #random: Random;
  readonly moments: FileMoment[] = [];
  readonly commits: FileCommit[] = [];
  #lines: TrueLine[] = [];
  #seen: readonly TrueLine[] = []; // as last known to a session
  #head: Commit | null = null;
  #time = START;
  #turn = 0;
  #count = 0;
  #since = 0; // HEAD moved
  #isCrlf = false;
  #notes = 0;
  readonly #states = new Map<string, readonly TrueLine[]>();

  constructor(private readonly options: WorldOptions) {
    this.#random = createRandom(options.seed);
    for (let at = this.#random(12); at >= 0; at--) this.#lines.push(this.#fresh());
  }

  make(): World {
    const { hasRepository, steps } = this.options;
    if (hasRepository && this.#random(4) > 0) this.#commit();
    for (let step = 0; step < steps; step++) this.#step(hasRepository);
    this.#see();
    relate(this.#head?.lines ?? [], this.#lines, (line) => line.isUnseen);
    return {
      moments: this.moments,
      commits: this.commits,
      head: this.#head?.id ?? null,
      place: PLACE,
      content: this.#text(),
      now: this.#tick(),
      truth: this.#lines,
    };
  }

  #step(hasRepository: boolean): void {
    this.#tick();
    const chosen = this.#random(hasRepository ? 20 : 12);
    if (chosen < 6) this.#editByTurn();
    else if (chosen === 6) this.#writeByTurn();
    else if (chosen === 7) this.#editByPerson();
    else if (chosen === 8) this.#reformat();
    else if (chosen === 9) this.#takeBackup();
    else if (chosen === 10) this.#undoEdit();
    else if (chosen === 11) this.#isCrlf = !this.#isCrlf;
    else if (chosen < 16) this.#commit();
    else if (chosen === 16) this.#restore();
    else if (chosen === 17) this.#revert();
    else this.#branch();
  }

  #tick(): number {
    this.#time += 1000 + this.#random(5) * 700;
    return this.#time;
  }

  #fresh(by?: number): TrueLine {
    const kind = this.#random(10);
    const text = kind < 6 ? `const value${this.#count++} = compute();` : this.#pick(kind < 8 ? WEAK : COMMON);
    return { text, turns: new Set(by === undefined ? [] : [by]), commits: new Set(), isUnseen: by === undefined };
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)] as Item;
  }

  /** Replaces some lines, copies some, or changes their spacing. */
  #change(by?: number, from = 0, to = this.#lines.length): Change {
    const at = from + this.#random(to - from + 1);
    const kind = this.#random(8);
    const count = Math.min(to - at, this.#random(4));
    const removed = this.#lines.slice(at, at + count);
    const copy = (line: TrueLine): TrueLine => ({ ...this.#fresh(by), text: line.text });
    const added =
      kind === 0 && removed.length > 0
        ? [...removed, ...removed.map(copy)]
        : kind === 1
          ? this.#lines.slice(from, from + this.#random(4)).map(copy)
          : kind === 2
            ? []
            : Array.from({ length: this.#random(5) }, () => this.#fresh(by));
    this.#lines.splice(at, count, ...added);
    return { at, removed, added };
  }

  #text(lines: readonly TrueLine[] = this.#lines): string {
    const text = lines.map((line) => line.text).join(this.#isCrlf ? "\r\n" : "\n");
    const isEnded = this.options.seed % 3 > 0 || lines.at(-1)?.text === ""; // else the blank line would not be one
    return lines.length > 0 && isEnded ? `${text}${this.#isCrlf ? "\r\n" : "\n"}` : text;
  }

  /** As Claude Code records it. */
  #recorded(): string {
    return this.#text().replaceAll("\r\n", "\n");
  }

  /** The present state becomes known: what a person retyped since cannot be told from what was there. */
  #see(): void {
    relate(this.#seen, this.#lines, (line) => line.isUnseen);
    this.#know(this.#lines);
    this.#seen = [...this.#lines];
  }

  /** Of some changes nothing is noted (0), or only the hunks (1): then the state before them is not known. */
  #beginTurn(): void {
    this.#notes = this.#random(8);
    if (this.#notes > 1) this.#see();
  }

  /** The same content as before stands for the same lines. */
  #know(lines: readonly TrueLine[]): void {
    const key = lines.map(({ text }) => text).join("\n");
    const known = this.#states.get(key);
    if (!known) this.#states.set(key, [...lines]);
    known?.forEach((line, at) => {
      const same = lines[at];
      if (same && same !== line) take(same, line);
    });
  }

  #editByTurn(): void {
    this.#beginTurn();
    const turn = this.#turn++;
    const before = this.#recorded();
    const old = [...this.#lines];
    this.#record({ before, old, turn, edit: this.#change(turn) });
  }

  #writeByTurn(): void {
    this.#beginTurn();
    const turn = this.#turn++;
    const before = this.#recorded();
    const old = [...this.#lines];
    for (let count = this.#random(4); count >= 0; count--) this.#change(turn);
    if (this.#random(4) === 0) this.#move();
    this.#record({ before, old, turn });
  }

  #move(): void {
    const moved = this.#lines.splice(this.#random(this.#lines.length + 1), this.#random(4));
    this.#lines.splice(this.#random(this.#lines.length + 1), 0, ...moved);
  }

  /** Without an edit: the whole file was written. */
  #record(change: { before: string; old: readonly TrueLine[]; turn: number; edit?: Change }): void {
    const { before, old, turn, edit } = change;
    const after = this.#recorded();
    const replacement = edit && findReplacement(before, after, edit);
    relate(old, this.#lines, () => true, replacement !== undefined);
    this.#know(this.#lines);
    const isOther = this.#random(15) === 0; // a person changed the edit before it was written
    const notes = this.#notes;
    const call: FileCall = {
      kind: replacement ? "edit" : "write",
      path: PLACE,
      before: notes < 2 ? undefined : before,
      after: replacement ? undefined : after,
      replacements: replacement ? [replacement] : [],
      hunks: notes === 0 ? [] : structuredPatch("", "", before, after, "", "", { context: 3 }).hunks,
    };
    this.moments.push({ kind: "changed", time: this.#tick(), place: PLACE, call, turn: isOther ? null : turn });
    if (notes > 1) this.#seen = [...this.#lines];
  }

  #editByPerson(): void {
    for (let count = this.#random(3); count >= 0; count--) this.#change();
    if (this.#random(4) === 0) this.#move();
  }

  #reformat(): void {
    const from = this.#random(this.#lines.length + 1);
    for (const line of this.#lines.slice(from, from + this.#random(8))) {
      const at = this.#lines.indexOf(line);
      this.#lines[at] = { ...line, text: `  ${line.text}`, isUnseen: true };
    }
  }

  #takeBackup(): void {
    this.#see();
    this.moments.push({ kind: "seen", time: this.#time, place: PLACE, content: this.#text() });
  }

  /** The model takes its last edit back. */
  #undoEdit(): void {
    this.#beginTurn();
    const last = [...this.#lines];
    const turn = this.#turn++;
    const before = this.#recorded();
    const old = [...this.#lines];
    this.#record({ before, old, turn, edit: this.#change(turn) });
    this.#tick();
    const middle = this.#recorded();
    const changed = [...this.#lines];
    this.#lines = [...last];
    const undoing = this.#turn++;
    for (const line of last) if (!changed.includes(line)) line.turns.add(undoing); // where the content before is not known
    this.#record({ before: middle, old: changed, turn: undoing });
  }

  #commit(lines: readonly TrueLine[] = this.#lines, parents = this.#head ? [this.#head] : [], isLocal = true): Commit {
    const time = Math.floor(this.#tick() / 1000) * 1000;
    const id = `c${this.commits.length}`;
    for (const line of lines) {
      if (!parents.some((parent) => parent.lines.includes(line))) line.commits.add(id);
      if (!isLocal) line.isUnseen = false;
    }
    for (const parent of parents) relate(parent.lines, lines, () => true);
    this.#know(lines);
    const commit = { id, parents, lines: [...lines] };
    const local = isLocal ? { place: PLACE, since: this.#since } : null;
    this.commits.push({
      id,
      parents: parents.map((parent) => parent.id),
      isCut: false,
      time,
      content: this.#text(lines),
      local,
    });
    this.#head = commit;
    this.#tick();
    return commit;
  }

  #moveHead(to: Commit): void {
    this.#head = to;
    this.#lines = [...to.lines];
    this.#tick();
    this.#since = this.#time;
    this.#tick();
  }

  /** `git checkout <file>`: what was not committed is lost. */
  #restore(): void {
    if (this.#head) this.#lines = [...this.#head.lines];
  }

  /** Back to an earlier commit's content, as a new commit. */
  #revert(): void {
    const earlier = this.#head?.parents[0];
    if (!earlier) return;
    this.#lines = [...earlier.lines];
    this.#commit(this.#lines, this.#head ? [this.#head] : [], false);
    this.#since = this.#time;
  }

  /** Work here on the lower half while others change the upper one; then both come together, or the work is dropped. */
  #branch(): void {
    if (this.#lines.length === 0) this.#lines.push(this.#fresh());
    const base = this.#commit();
    const border = base.lines[Math.floor(base.lines.length / 2)] as TrueLine;
    const own: Commit[] = [];
    for (let count = this.#random(3); count >= 0; count--) {
      this.#beginTurn();
      const before = this.#recorded();
      const old = [...this.#lines];
      const turn = this.#turn++;
      const top = this.#lines.indexOf(border) + 1;
      this.#record({ before, old, turn, edit: this.#change(turn, top) });
      if (this.#random(2) > 0) own.push(this.#commit());
    }
    own.push(this.#commit());
    const work = this.#lines;
    const others = this.#others(base, border);
    this.#join(this.#random(4), { base, others, own, work, border });
  }

  #others(base: Commit, border: TrueLine): Commit {
    let last = base;
    for (let count = this.#random(3); count >= 0; count--) {
      this.#lines = [...last.lines];
      this.#change(undefined, 0, this.#lines.indexOf(border));
      for (const line of this.#lines) line.isUnseen = false;
      last = this.#commit(this.#lines, [last], false);
    }
    return last;
  }

  #join(
    how: number,
    { others, own, work, border }: { base: Commit; others: Commit; own: Commit[]; work: TrueLine[]; border: TrueLine },
  ): void {
    const top = others.lines.slice(0, others.lines.indexOf(border));
    const joined = (lines: readonly TrueLine[]) => [...top, ...lines.slice(lines.indexOf(border))];
    const mine = own.at(-1) as Commit;
    if (how === 0) this.#moveHead(others);
    else if (how === 1) this.#moveHead(this.#commit(joined(work), [mine, others], false));
    else if (how === 2) this.#moveHead(this.#commit(joined(work), [others], false));
    else {
      let last = others;
      for (const commit of own) last = this.#commit(joined(commit.lines), [last], false);
      this.#moveHead(last);
    }
  }
}

export function makeWorld(options: WorldOptions): World {
  return new WorldMaker(options).make();
}

/** As a model edits: a piece of text that occurs once, and what stands there then. */
function findReplacement(before: string, after: string, { at, removed, added }: Change): Replacement | undefined {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  for (let around = 0; around <= old.length; around++) {
    const [from, end] = [Math.max(0, at - around), at + removed.length + around];
    const text = old.slice(from, end).join("\n");
    if (text === "" || before.indexOf(text) !== before.lastIndexOf(text)) continue;
    const to = fresh.slice(from, end + added.length - removed.length).join("\n");
    return before.replace(text, () => to) === after ? { from: text, to, isEverywhere: false } : undefined;
  }
  return undefined;
}
