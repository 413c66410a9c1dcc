import { listAt } from "../../collections.js";
import { readRecords } from "../../format/reader/record-reader.js";
import type { AssistantRecord } from "../../format/record/record.js";
import type { UsageCounters } from "../../format/record/usage-counters.js";
import { costOf, type Price, type PriceTable, priceOf } from "../../session/messages/cost.js";
import { isCountedMessage, messageKey } from "../../session/messages/message.js";
import type { Usage } from "../../session/messages/usage.js";
import { openSession } from "../../session/open-session.js";
import type { Database } from "../../store/sqlite.js";
import { gatherMessages, type MessageFigures } from "../catalog/ledger.js";
import { readMerged } from "../catalog/library-numbers.js";
import { MESSAGES, type Merged } from "../catalog/number-kinds.js";
import { listMessages } from "../catalog/number-rows.js";
import { type OwningSession, readScope, type Scope } from "../catalog/numbers-scope.js";
import type { UserData } from "../found-session.js";
import { createOpener } from "../sources/walk-library.js";
import { type Spent, Tally } from "./tally.js";

/** How the totals of a session come about, message by message. */
export interface Explanation {
  readonly session: OwningSession;
  readonly messages: readonly ExplainedMessage[];
  readonly countedElsewhere: number;
  /** Of the messages that are counted here. */
  readonly totals: Spent;
}

export interface ExplainedMessage {
  readonly id: string;
  readonly path: string;
  readonly model: string | null;
  readonly speed: string | null;
  /** Each line that has the message, with the counters that stand there. */
  readonly lines: readonly { readonly line: number; readonly counters: UsageCounters | null }[];
  /** The highest of each counter over all lines and all files. */
  readonly usage: Usage;
  readonly isOutputKnown: boolean;
  /** The file in which it counts. */
  readonly countedIn: string;
  readonly isCountedHere: boolean;
  /** The other files that hold it, with what they tell. */
  readonly copies: readonly { readonly path: string; readonly usage: Usage }[];
  readonly price: Price | null; // USD per million tokens
  readonly costUsd: number | null;
}

/** Undefined for a session that the numbers do not know. */
export function explainSession(
  db: Database,
  roots: readonly string[],
  path: string,
  { prices, ...knowledge }: UserData & { readonly prices?: PriceTable } = {},
): Explanation | undefined {
  const scope = readScope(db, roots, {}, knowledge);
  const own = [...scope.chosen].filter(([, session]) => session.path === path);
  const session = own[0]?.[1];
  if (!session) return undefined;
  const merged = new Map(readMerged(db, MESSAGES, scope).map((message) => [message.key, message]));
  const messages = own.flatMap(([file]) =>
    explainFile(file, { scope, merged, prices, open: fileOpener(db, knowledge) }),
  );
  const counted = messages.filter(({ isCountedHere }) => isCountedHere);
  return {
    session,
    messages: messages.map(({ figures: _, ...message }) => message),
    countedElsewhere: messages.length - counted.length,
    totals: addUp(counted, prices),
  };
}

interface Library {
  readonly scope: Scope;
  readonly merged: ReadonlyMap<string, Merged<MessageFigures>>;
  readonly prices: PriceTable | undefined;
  open(file: number, path: string): string;
}

/** A session that its client deleted is read from its copy. */
function fileOpener(db: Database, { archive }: UserData): Library["open"] {
  const open = createOpener(archive);
  const select = db.prepare<{ archive: string | null }>("SELECT archive FROM files WHERE id = ?");
  return (file, path) => open(path, select.get(file)?.archive ?? null);
}

function explainFile(file: number, library: Library): (ExplainedMessage & { readonly figures: MessageFigures })[] {
  const path = library.scope.paths.get(file) ?? "";
  const session = openSession();
  const records = new Map<string, AssistantRecord[]>();
  for (const record of readRecords(library.open(file, path), { abridge: true })) {
    session.push(record);
    if (record.kind === "assistant") listAt(records, messageKey(record)).push(record);
  }
  const outline = session.view();
  const sketches = [...outline.messages.values()].filter(isCountedMessage);
  return listMessages(outline).map((row, at) => {
    const { key = "", id = null } = sketches[at] ?? {};
    const merged = library.merged.get(`${row.key}`);
    const figures = merged?.figures ?? row;
    return {
      ...explainFigures(figures, library.prices),
      figures,
      id: id ?? key,
      path,
      lines: (records.get(key) ?? []).map(({ line, usage }) => ({ line, counters: usage ?? null })),
      ...explainCopies(file, merged, library.scope),
    };
  });
}

function explainFigures(
  { model, speed, usage, isOutputKnown }: MessageFigures,
  prices: PriceTable | undefined,
): Pick<ExplainedMessage, "model" | "speed" | "usage" | "isOutputKnown" | "price" | "costUsd"> {
  const name = model ?? undefined;
  const price = priceOf(name, speed ?? undefined, prices) ?? null;
  return { model, speed, usage, isOutputKnown, price, costUsd: costOf(usage, name, speed ?? undefined, prices) };
}

function explainCopies(
  file: number,
  merged: Merged<MessageFigures> | undefined,
  { paths }: Scope,
): Pick<ExplainedMessage, "countedIn" | "isCountedHere" | "copies"> {
  const others = merged?.copies.filter((copy) => copy.file !== file) ?? [];
  const counting = merged?.file ?? file;
  return {
    countedIn: paths.get(counting) ?? "",
    isCountedHere: counting === file,
    copies: others.map((copy) => ({ path: paths.get(copy.file) ?? "", usage: copy.figures.usage })),
  };
}

/** In the same way as for all sessions, so that the sums are the same. */
function addUp(counted: readonly { readonly figures: MessageFigures }[], prices: PriceTable | undefined): Spent {
  const tally = new Tally();
  for (const span of gatherMessages(counted.map(({ figures }) => figures))) tally.addMessages(span);
  return tally.spent(prices);
}
