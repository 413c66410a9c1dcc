import { toFileCalls } from "../../format/record/file-changes.js";
import { runSteps } from "../../lazy.js";
import type { PreservedCounts } from "../../session/replay/select-replay.js";
import type { Turn } from "../../session/turns/build-turn.js";

/** One side of a comparison; of its turns only what is compared is kept. */
export interface ComparedSession {
  readonly id: string;
  readonly title: string | null;
  readonly turns: Iterable<Turn>;
  /** By its compactions; where it is missing, that is not compared. */
  readonly preserved?: PreservedCounts;
}

/** Compares two sessions, or two branches of one, turn by turn: first those with shared records, then those most alike. */
export function diffSessions(a: ComparedSession, b: ComparedSession): SessionDiff {
  return runSteps(diffSessionsInSteps(a, b));
}

/** The same, turn by turn, for those who have others to answer in between. */
export function* diffSessionsInSteps(a: ComparedSession, b: ComparedSession): Generator<void, SessionDiff> {
  const before = yield* digest(a);
  const after = yield* digest(b);
  const pairs = yield* alignTurns(before, after);
  return {
    a: describeSide(a, before),
    b: describeSide(b, after),
    turns: yield* comparePairs(pairs),
  };
}

function* comparePairs(pairs: readonly Pair[]): Generator<void, TurnPair[]> {
  const compared: TurnPair[] = [];
  for (const [left, right] of pairs) {
    compared.push(comparePair(left?.turn ?? null, right?.turn ?? null));
    yield;
  }
  return compared;
}

function* digest({ turns, preserved }: ComparedSession): Generator<void, ComparedTurn[]> {
  const digested: ComparedTurn[] = [];
  for (const turn of turns) {
    digested.push(digestTurn(turn, preserved?.byTurn.get(turn.index) ?? 0));
    yield;
  }
  return digested;
}

function describeSide({ id, title, preserved }: ComparedSession, turns: readonly ComparedTurn[]): DiffSide {
  const tokens = turns.reduce((sum, { turn }) => sum + turn.tokens, 0);
  return { id, title, turns: turns.length, tokens, missingPreserved: preserved?.missing ?? 0 };
}

const PARTS: readonly TurnPart[] = ["prompt", "answer", "tools", "files", "tokens", "preserved"];

function comparePair(a: DiffTurn | null, b: DiffTurn | null): TurnPair {
  if (!a || !b) return { kind: a ? "onlyA" : "onlyB", a, b, differs: [] };
  const differs = PARTS.filter((part) => JSON.stringify(a[part]) !== JSON.stringify(b[part]));
  return { kind: differs.length === 0 ? "same" : "changed", a, b, differs };
}

function digestTurn(turn: Turn, preserved: number): ComparedTurn {
  const { index, uuid, prompt, messages, toolCalls, usage } = turn;
  const texts = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])),
  );
  const changed = toolCalls.flatMap((call) =>
    toFileCalls(call).flatMap(({ kind, path }) => (kind === "read" ? [] : path)),
  );
  return {
    ids: [...(uuid === null ? [] : [uuid]), ...messages.flatMap(({ id }) => id ?? [])],
    turn: {
      index,
      uuid,
      prompt,
      answer: texts.join("\n\n"),
      tools: toolCalls.map(({ name, summary, status }) => `${name} ${summary}${status === "ok" ? "" : ` (${status})`}`),
      files: [...new Set(changed)].sort(),
      tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
      preserved,
    },
  };
}

interface ComparedTurn {
  /** Of its starting record and its messages: copies of a session share them. */
  readonly ids: readonly string[];
  readonly turn: DiffTurn;
}

/** Undefined where the other side has nothing like it. */
type Pair = readonly [ComparedTurn | undefined, ComparedTurn | undefined];

/** Turns that share ids belong together; between these, those whose prompts are most alike, in order. */
function* alignTurns(a: readonly ComparedTurn[], b: readonly ComparedTurn[]): Generator<void, Pair[]> {
  const pairs: Pair[] = [];
  let [doneA, doneB] = [0, 0];
  for (const [atA, atB] of findShared(a, b)) {
    pairs.push(...(yield* alignByPrompt(a.slice(doneA, atA), b.slice(doneB, atB))), [a[atA], b[atB]]);
    [doneA, doneB] = [atA + 1, atB + 1];
  }
  return [...pairs, ...(yield* alignByPrompt(a.slice(doneA), b.slice(doneB)))];
}

function findShared(a: readonly ComparedTurn[], b: readonly ComparedTurn[]): [number, number][] {
  const places = new Map(b.flatMap(({ ids }, at) => ids.map((id) => [id, at] as const)));
  const shared: [number, number][] = [];
  a.forEach(({ ids }, at) => {
    const other = ids.flatMap((id) => places.get(id) ?? [])[0];
    if (other !== undefined && other > (shared.at(-1)?.[1] ?? -1)) shared.push([at, other]);
  });
  return shared;
}

/** Below this, prompts have nothing to do with each other. */
const LEAST_ALIKE = 0.5;
/** A table of more cells is not worth its memory; then only equal places are compared. */
const MOST_CELLS = 1_000_000;

function* alignByPrompt(a: readonly ComparedTurn[], b: readonly ComparedTurn[]): Generator<void, Pair[]> {
  if (a.length * b.length > MOST_CELLS) return [...a.map(onlyLeft), ...b.map(onlyRight)];
  const words = [a.map(wordsOf), b.map(wordsOf)] as const;
  const alike = (left: number, right: number) => similarity(words[0][left], words[1][right]);
  const best = yield* fillTable(a.length, b.length, alike);
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  while (left < a.length && right < b.length) {
    const here = at(best, left, right);
    if (here === at(best, left + 1, right)) pairs.push([a[left++], undefined]);
    else if (here === at(best, left, right + 1)) pairs.push([undefined, b[right++]]);
    else pairs.push([a[left++], b[right++]]);
  }
  return [...pairs, ...a.slice(left).map(onlyLeft), ...b.slice(right).map(onlyRight)];
}

function onlyLeft(turn: ComparedTurn): Pair {
  return [turn, undefined];
}

function onlyRight(turn: ComparedTurn): Pair {
  return [undefined, turn];
}

/** The most likeness that the rest of both sides can have, from each pair of places on. */
function* fillTable(
  rows: number,
  columns: number,
  alike: (row: number, column: number) => number,
): Generator<void, Float64Array[]> {
  const table = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const likeness = alike(row, column);
      const paired = likeness < LEAST_ALIKE ? 0 : likeness + at(table, row + 1, column + 1);
      const best = Math.max(paired, at(table, row + 1, column), at(table, row, column + 1));
      table[row]?.fill(best, column, column + 1);
    }
    yield;
  }
  return table;
}

function at(table: readonly Float64Array[], row: number, column: number): number {
  return table[row]?.[column] ?? 0;
}

const MOST_WORDS = 500;

function wordsOf({ turn }: ComparedTurn): ReadonlySet<string> {
  return new Set(turn.prompt.toLowerCase().split(/\s+/u, MOST_WORDS));
}

/** The share of words that both have. */
function similarity(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return (2 * shared) / Math.max(1, a.size + b.size);
}

/** Two sessions, or two branches of one, turn by turn. */
export interface SessionDiff {
  readonly a: DiffSide;
  readonly b: DiffSide;
  readonly turns: readonly TurnPair[];
}

export interface DiffSide {
  readonly id: string;
  readonly title: string | null;
  readonly turns: number;
  readonly tokens: number;
  /** Records that a compaction preserved and that are missing: Claude Code resumes without any that it preserved. */
  readonly missingPreserved: number;
}

export type TurnPart = "prompt" | "answer" | "tools" | "files" | "tokens" | "preserved";

export interface TurnPair {
  /** `same`: in all its parts. */
  readonly kind: "same" | "changed" | "onlyA" | "onlyB";
  readonly a: DiffTurn | null;
  readonly b: DiffTurn | null;
  readonly differs: readonly TurnPart[];
}

/** What is compared of a turn. */
export interface DiffTurn {
  readonly index: number; // 1-based
  readonly uuid: string | null;
  readonly prompt: string;
  readonly answer: string;
  readonly tools: readonly string[]; // name, summary and how it ended
  readonly files: readonly string[]; // that it wrote or edited
  readonly tokens: number;
  readonly preserved: number; // messages that a compaction kept word by word
}
