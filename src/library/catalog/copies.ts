import type { PriceTable } from "../../session/messages/cost.js";
import type { CallFigures, Copyable, MessageFigures, NumberRows, TurnFigures } from "../../session/number-rows.js";
import {
  addCounts,
  type Counts,
  countFigures,
  type PartSpend,
  type SessionCosts,
  sumCosts,
} from "../../session/session-spend.js";
import type { Database } from "../../store/sqlite.js";
import {
  type CountCells,
  type SpentCells,
  toCountCells,
  toSpentCells,
  unpackCounts,
  unpackSpent,
} from "../entries/summary-cells.js";
import type { SessionLinks } from "../load/session-summary.js";
import { cachedAnswer } from "./cached-answers.js";
import { readMerged } from "./library-numbers.js";
import { CALLS, type Copy, MESSAGES, type Merged, mergeCopies, TURNS } from "./number-kinds.js";
import { readScope } from "./numbers-scope.js";

/** How the copies of its messages, calls and turns in other files change what a file counts for: each counts once. */
export interface CopyCorrections {
  /** To be added: what counts here with the figures of all copies, and negative, what does not count here. */
  readonly corrections: readonly SpentCells[];
  readonly counts: CountCells;
  /** What counts in another session. */
  readonly copied: readonly SpentCells[];
}

/** By the path of each file that has copies. */
export type Copies = ReadonlyMap<string, CopyCorrections>;

export function readCopies(db: Database, roots: readonly string[]): Copies {
  return new Map(
    cachedAnswer(db, ["copies", roots], () => {
      const scope = readScope(db, roots, {});
      const fileOf = (file: number) => ({ path: scope.paths.get(file) ?? "", session: scope.chosen.get(file)?.path });
      const merged = {
        messages: readMerged(db, MESSAGES, scope),
        calls: readMerged(db, CALLS, scope),
        turns: readMerged(db, TURNS, scope),
      };
      return [...correctCopies(merged, fileOf)];
    }),
  );
}

/** A file that was read; its rows are looked at only where another file has some of them. */
export interface CopyingFile {
  readonly path: string;
  readonly session: string; // path of the session it belongs to
  readonly keys: Float64Array;
  readRows(): NumberRows;
}

/** The same without an index. */
export function findCopies(files: readonly CopyingFile[]): Copies {
  const seen = new Set<number>();
  const repeated = new Set<number>();
  for (const { keys } of files) {
    const own = new Set(keys);
    for (const key of own) (seen.has(key) ? repeated : seen).add(key);
  }
  const rows = files.map((file) => (file.keys.some((key) => repeated.has(key)) ? file.readRows() : undefined));
  const copiesOf = <Figures>(rowsOf: (rows: NumberRows) => readonly (Figures & Copyable)[]): Copy<Figures>[] =>
    rows.flatMap((own, file) => {
      const last = new Map<number, Copy<Figures>>(); // of several with the same key the last one counts
      for (const row of own ? rowsOf(own) : []) {
        if (repeated.has(row.key)) last.set(row.key, { key: row.key, file, isCopied: row.isCopied, figures: row });
      }
      return [...last.values()];
    });
  const pathOf = (file: number) => files[file]?.path;
  const merged = {
    messages: mergeCopies<MessageFigures>(
      copiesOf(({ messages }) => messages),
      pathOf,
      MESSAGES.join,
    ),
    calls: mergeCopies<CallFigures>(
      copiesOf(({ calls }) => calls),
      pathOf,
      CALLS.join,
    ),
    turns: mergeCopies<TurnFigures>(
      copiesOf(({ turns }) => turns),
      pathOf,
      TURNS.join,
    ),
  };
  return correctCopies(merged, (file) => files[file]);
}

interface CountedFile {
  readonly path: string;
  readonly session: string | undefined;
}

interface MergedRows {
  readonly messages: readonly Merged<MessageFigures>[];
  readonly calls: readonly Merged<CallFigures>[];
  readonly turns: readonly Merged<TurnFigures>[];
}

function correctCopies(
  { messages, calls, turns }: MergedRows,
  fileOf: (file: number) => CountedFile | undefined,
): Copies {
  const found = new Map<string, { corrections: SpentCells[]; copied: SpentCells[]; counts: Counts }>();
  const at = (file: number) => {
    const path = fileOf(file)?.path ?? "";
    const known = found.get(path) ?? { corrections: [], copied: [], counts: countFigures({}) };
    found.set(path, known);
    return known;
  };
  const count = <Figures>(rows: readonly Merged<Figures>[], countsOf: (figures: Figures) => Counts) =>
    forEachChange(rows, (file, figures, factor) => {
      const known = at(file);
      known.counts = addCounts(known.counts, countsOf(figures), factor);
    });
  count(messages, (one) => countFigures({ messages: [one] }));
  count(calls, (one) => countFigures({ calls: [one] }));
  count(turns, (one) => countFigures({ turns: [one] }));
  forEachChange(messages, (file, figures, factor, owner) => {
    at(file).corrections.push(toSpentCells(figures, factor));
    const isElsewhere = fileOf(file)?.session !== fileOf(owner)?.session;
    if (factor < 0 && isElsewhere) at(file).copied.push(toSpentCells(figures));
  });
  return new Map(
    [...found].map(([path, { corrections, copied, counts }]) => [
      path,
      { corrections, copied, counts: toCountCells(counts) },
    ]),
  );
}

/** The file that owns it gets what all copies together count for; each copy takes back what it counted. A copy that already has that stays. */
function forEachChange<Figures>(
  merged: readonly Merged<Figures>[],
  change: (file: number, figures: Figures, factor: 1 | -1, owner: number) => void,
): void {
  for (const { copies, file: owner, figures } of merged) {
    if (!copies.some((copy) => copy.figures === figures)) change(owner, figures, 1, owner);
    for (const copy of copies) if (copy.figures !== figures) change(copy.file, copy.figures, -1, owner);
  }
}

/** What a file counts for by itself. */
export interface FileFigures {
  readonly path: string;
  readonly spent: readonly PartSpend[];
  readonly counts: Counts;
}

/** With what a sub-agent left behind. */
export interface AgentFigures extends FileFigures {
  readonly links: SessionLinks;
}

const NOTHING_COPIED = { spent: [], turns: 0 };

/** What a session did and spent within its library. */
export function costsInLibrary(
  session: FileFigures,
  subagents: readonly FileFigures[],
  copies: Copies,
  prices?: PriceTable,
): SessionCosts {
  if (subagents.length === 0 && !copies.has(session.path)) {
    return sumCosts(session.spent, session.counts, NOTHING_COPIED, prices);
  }
  const files = [session, ...subagents];
  const all = files.flatMap(({ path, spent }) => {
    const corrections = copies.get(path)?.corrections;
    return corrections ? [...spent, ...corrections.map(unpackSpent)] : spent;
  });
  const changes = files.flatMap(({ path }) => {
    const cells = copies.get(path)?.counts;
    return cells ? [unpackCounts(cells)] : [];
  });
  const more = [...subagents.map((file) => file.counts), ...changes];
  const counts = more.length === 0 ? session.counts : more.reduce((sum, one) => addCounts(sum, one), session.counts);
  const copied = {
    spent: copies.get(session.path)?.copied.map(unpackSpent) ?? [],
    turns: session.counts.turns - counts.turns,
  };
  return sumCosts(all, counts, copied, prices);
}
