import type { PriceTable } from "../../session/messages/cost.js";
import { type PartSpend, type SessionCosts, sumCosts } from "../../session/session-spend.js";
import type { Database } from "../../store/sqlite.js";
import type { MessageFigures } from "../entries/ledger.js";
import type { MessageRow } from "../entries/number-rows.js";
import { type SpentCells, toSpentCells, unpackSpent } from "../entries/summary-cells.js";
import { cachedAnswer } from "./cached-answers.js";
import { readMerged } from "./library-numbers.js";
import { type Copy, MESSAGES, type Merged, mergeCopies } from "./number-kinds.js";
import { readScope } from "./numbers-scope.js";

/** How the copies of its messages in other files change what a file spent: each message counts once. */
export interface CopyCorrections {
  /** To be added: what counts here with the figures of all copies, and negative, what does not count here. */
  readonly corrections: readonly SpentCells[];
  /** What counts in another session. */
  readonly copied: readonly SpentCells[];
}

/** By the path of each file that has copies. */
export type Copies = ReadonlyMap<string, CopyCorrections>;

export function readCopies(db: Database, roots: readonly string[]): Copies {
  return new Map(
    cachedAnswer(db, ["copies of messages", roots], () => {
      const scope = readScope(db, roots, {});
      const fileOf = (file: number) => ({ path: scope.paths.get(file) ?? "", session: scope.chosen.get(file)?.path });
      return [...correctCopies(readMerged(db, MESSAGES, scope), fileOf)];
    }),
  );
}

/** A file that was read; its messages are looked at only where another file has some of them. */
export interface CopyingFile {
  readonly path: string;
  readonly session: string; // path of the session it belongs to
  readonly messageKeys: readonly number[];
  readMessages(): readonly MessageRow[];
}

/** The same without an index. */
export function findCopies(files: readonly CopyingFile[]): Copies {
  const seen = new Set<number>();
  const repeated = new Set<number>();
  for (const { messageKeys } of files) for (const key of messageKeys) (seen.has(key) ? repeated : seen).add(key);
  const copies = files.flatMap(({ messageKeys, readMessages }, file): Copy<MessageFigures>[] => {
    if (!messageKeys.some((key) => repeated.has(key))) return [];
    const rows = readMessages().filter(({ key }) => repeated.has(key));
    return rows.map((row) => ({ key: row.key, file, isCopied: row.isCopied, figures: row }));
  });
  const merged = mergeCopies(copies, (file) => files[file]?.path, MESSAGES.join);
  return correctCopies(merged, (file) => files[file]);
}

interface CountedFile {
  readonly path: string;
  readonly session: string | undefined;
}

function correctCopies(
  merged: readonly Merged<MessageFigures>[],
  fileOf: (file: number) => CountedFile | undefined,
): Copies {
  const found = new Map<string, { corrections: SpentCells[]; copied: SpentCells[] }>();
  const at = (file: number) => {
    const path = fileOf(file)?.path ?? "";
    const known = found.get(path) ?? { corrections: [], copied: [] };
    found.set(path, known);
    return known;
  };
  for (const { copies, file: owner, figures } of merged) {
    if (!copies.some((copy) => copy.figures === figures)) at(owner).corrections.push(toSpentCells(figures));
    for (const copy of copies) {
      if (copy.figures === figures) continue;
      at(copy.file).corrections.push(toSpentCells(copy.figures, -1));
      const isElsewhere = fileOf(copy.file)?.session !== fileOf(owner)?.session;
      if (isElsewhere) at(copy.file).copied.push(toSpentCells(copy.figures));
    }
  }
  return found;
}

/** What a file spent. */
export interface FileSpend {
  readonly path: string;
  readonly spent: readonly PartSpend[];
}

/** The costs of a session within its library. */
export function costsInLibrary(
  session: FileSpend,
  subagents: readonly FileSpend[],
  copies: Copies,
  prices?: PriceTable,
): SessionCosts {
  const files = subagents.length === 0 ? [session] : [session, ...subagents];
  const all = files.flatMap(({ path, spent }) => {
    const corrections = copies.get(path)?.corrections;
    return corrections ? [...spent, ...corrections.map(unpackSpent)] : spent;
  });
  return sumCosts(all, copies.get(session.path)?.copied.map(unpackSpent) ?? [], prices);
}
