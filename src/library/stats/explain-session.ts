import { listAt } from "../../collections.js";
import { readRecords } from "../../format/reader/record-reader.js";
import type { AssistantRecord } from "../../format/record/record.js";
import type { UsageCounters } from "../../format/record/usage-counters.js";
import { costOf, type Price, type PriceTable, priceOf } from "../../session/messages/cost.js";
import { countOnce, isCountedMessage, messageKey } from "../../session/messages/message.js";
import type { Usage } from "../../session/messages/usage.js";
import { listMessages, type MessageFigures } from "../../session/number-rows.js";
import { openSession } from "../../session/open-session.js";
import type { Database } from "../../store/sqlite.js";
import { readMerged } from "../catalog/library-numbers.js";
import { MESSAGES, type Merged } from "../catalog/number-kinds.js";
import { type OwningSession, readScope, type Scope } from "../catalog/numbers-scope.js";
import { gatherMessages } from "../entries/ledger.js";
import type { UserData } from "../found-session.js";
import { createOpener } from "../sources/walk-library.js";
import { type Spent, Tally } from "./tally.js";

/** How the totals of a session are computed, message by message. */
export interface Explanation {
  readonly session: OwningSession;
  readonly messages: readonly ExplainedMessage[];
  readonly countedElsewhere: number;
  /** Of the messages that count in this session. */
  readonly totals: Spent;
}

export interface ExplainedMessage {
  readonly id: string;
  readonly path: string;
  readonly model: string | null;
  readonly speed: string | null;
  /** Each line of the message, with its counters. */
  readonly lines: readonly { readonly line: number; readonly counters: UsageCounters | null }[];
  /** The highest of each counter over all lines and files. */
  readonly usage: Usage;
  readonly isOutputKnown: boolean;
  /** The file it counts in. */
  readonly countedIn: string;
  readonly isCountedHere: boolean;
  /** The other files that contain it, with their counters. */
  readonly copies: readonly { readonly path: string; readonly usage: Usage }[];
  readonly price: Price | null; // USD per million tokens
  readonly costUsd: number | null;
}

/** Undefined for a session that is not in the numbers. */
export function explainSession(
  db: Database,
  roots: readonly string[],
  path: string,
  { prices, ...userData }: UserData & { readonly prices?: PriceTable } = {},
): Explanation | undefined {
  const scope = readScope(db, roots, {}, userData);
  const own = [...scope.chosen].filter(([, session]) => session.path === path);
  const session = own[0]?.[1];
  if (!session) return undefined;
  const explainer = new FileExplainer(db, scope, userData, prices);
  const messages = own.flatMap(([file]) => explainer.explain(file));
  const counted = messages.filter(({ isCountedHere }) => isCountedHere);
  return {
    session,
    messages: messages.map(({ figures: _, ...message }) => message),
    countedElsewhere: messages.length - counted.length,
    totals: addUp(counted, prices),
  };
}

type CountedMessage = ExplainedMessage & { readonly figures: MessageFigures };

class FileExplainer {
  readonly #merged: ReadonlyMap<number | string, Merged<MessageFigures>>;
  readonly #open: (path: string, archive: string | null) => string;

  constructor(
    private readonly db: Database,
    private readonly scope: Scope,
    userData: UserData,
    private readonly prices: PriceTable | undefined,
  ) {
    this.#merged = new Map(readMerged(db, MESSAGES, scope).map((message) => [message.key, message]));
    this.#open = createOpener(userData.archive);
  }

  explain(file: number): CountedMessage[] {
    const path = this.scope.paths.get(file) ?? "";
    const session = openSession();
    const records = new Map<string, AssistantRecord[]>();
    for (const record of readRecords(this.#open(path, this.#archiveOf(file)), { abridge: true })) {
      session.push(record);
      if (record.kind === "assistant") listAt(records, messageKey(record)).push(record);
    }
    const outline = session.view();
    const counted = countOnce(outline.messages.values()).filter(isCountedMessage);
    return listMessages(outline, this.scope.chosen.get(file)?.path !== path).map((row, at) => {
      const { key = "", id = null } = counted[at] ?? {};
      const merged = this.#merged.get(row.key);
      return {
        ...this.#explainFigures(merged?.figures ?? row),
        id: id ?? key,
        path,
        lines: (records.get(key) ?? []).map(({ line, usage }) => ({ line, counters: usage ?? null })),
        ...this.#explainCopies(file, merged),
      };
    });
  }

  /** A session that Claude Code deleted is read from its archived copy. */
  #archiveOf(file: number): string | null {
    const select = this.db.prepare<{ archive: string | null }>("SELECT archive FROM files WHERE id = ?");
    return select.get(file)?.archive ?? null;
  }

  #explainFigures(
    figures: MessageFigures,
  ): Pick<CountedMessage, "figures" | "model" | "speed" | "usage" | "isOutputKnown" | "price" | "costUsd"> {
    const { model, speed, usage, isOutputKnown } = figures;
    const [name, tier] = [model ?? undefined, speed ?? undefined];
    const price = priceOf(name, tier, this.prices) ?? null;
    return { figures, model, speed, usage, isOutputKnown, price, costUsd: costOf(usage, name, tier, this.prices) };
  }

  #explainCopies(
    file: number,
    merged: Merged<MessageFigures> | undefined,
  ): Pick<ExplainedMessage, "countedIn" | "isCountedHere" | "copies"> {
    const { paths } = this.scope;
    const others = merged?.copies.filter((copy) => copy.file !== file) ?? [];
    const counting = merged?.file ?? file;
    return {
      countedIn: paths.get(counting) ?? "",
      isCountedHere: counting === file,
      copies: others.map((copy) => ({ path: paths.get(copy.file) ?? "", usage: copy.figures.usage })),
    };
  }
}

/** Uses the same sums as the statistics, so that both agree. */
function addUp(counted: readonly { readonly figures: MessageFigures }[], prices: PriceTable | undefined): Spent {
  const tally = new Tally();
  for (const span of gatherMessages(counted.map(({ figures }) => figures))) tally.addMessages(span);
  return tally.spent(prices);
}
