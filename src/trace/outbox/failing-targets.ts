import { fileOf, openOwn } from "../../store/own-database.js";
import type { Database } from "../../store/sqlite.js";
import type { Queue, Signal } from "./batches.js";
import { readHealth } from "./health.js";
import { ledgerNamed } from "./ledgers.js";
import { outboxDatabase } from "./outbox-schema.js";

/** An installed target that did not take what it was sent last. */
export interface FailingTarget {
  readonly name: string;
  /** What the last answer was about. */
  readonly about: "key" | "request" | "spans";
}

/**
 * Of these targets, those that fail now. Asked below every prompt: keys are not read, nothing is counted or made, and an outbox that
 * cannot be read as it is says nothing.
 */
export function findFailing(dir: string, names: readonly string[]): FailingTarget[] {
  const own = outboxDatabase(dir);
  if (fileOf(own.path) === "") return [];
  const { database } = openOwn(own);
  try {
    return names.flatMap((name) => {
      const about = whyFailing(database, name);
      return about === undefined ? [] : [{ name, about }];
    });
  } finally {
    database.close();
  }
}

function whyFailing(db: Database, name: string): FailingTarget["about"] | undefined {
  const ledger = ledgerNamed(db, name);
  if (ledger === undefined) return undefined;
  const signals: readonly Signal[] = ["traces", "metrics"];
  for (const queue of signals.map((signal) => ({ ledger, signal }))) {
    const { failures, pausedWith } = readHealth(db, queue);
    if (failures > 0) return pausedWith !== null ? "key" : doesWait(db, queue) ? "request" : "spans";
  }
  return undefined;
}

function doesWait(db: Database, { ledger, signal }: Queue): boolean {
  const select = "SELECT 1 FROM spans WHERE target = ? AND signal = ? AND state = 'queued' LIMIT 1";
  return db.prepare(select).get(ledger, signal) !== undefined;
}
