import { DamagedContents, type Database } from "../../store/sqlite.js";
import { isTimeOrNull } from "./outbox-schema.js";

/** How the last requests to a target ended. */
export interface Health {
  readonly failures: number; // in a row
  readonly nextAt: number;
  readonly lastSuccess: number | null;
  readonly lastFailure: number | null;
  readonly lastReason: string | null;
  /** A hash of the credentials that the target refused; null: it did not. */
  readonly pausedWith: string | null;
}

export type Outcome =
  | { readonly kind: "success"; readonly at: number }
  | {
      readonly kind: "failure";
      readonly at: number;
      readonly reason: string;
      readonly nextAt: number;
      readonly pausedWith?: string | null;
    };

export function noteOutcome(db: Database, ledger: string, outcome: Outcome): void {
  db.prepare("INSERT OR IGNORE INTO targets (name, failures, next_at) VALUES (?, 0, 0)").run(ledger);
  if (outcome.kind === "success") {
    const success = "UPDATE targets SET failures = 0, next_at = 0, paused_with = NULL, last_success = ? WHERE name = ?";
    db.prepare(success).run(outcome.at, ledger);
    return;
  }
  const { at, reason, nextAt, pausedWith = null } = outcome;
  db.prepare(
    `UPDATE targets SET failures = failures + 1, next_at = ?, last_failure = ?, last_reason = ?, paused_with = ?
     WHERE name = ?`,
  ).run(nextAt, at, reason, pausedWith, ledger);
}

const HEALTHY: Health = {
  failures: 0,
  nextAt: 0,
  lastSuccess: null,
  lastFailure: null,
  lastReason: null,
  pausedWith: null,
};

export function readHealth(db: Database, ledger: string): Health {
  const select = `SELECT failures, next_at AS nextAt, last_success AS lastSuccess, last_failure AS lastFailure,
    last_reason AS lastReason, paused_with AS pausedWith FROM targets WHERE name = ?`;
  const health = db.prepare<Health>(select).get(ledger) ?? HEALTHY;
  const { nextAt, lastSuccess, lastFailure } = health;
  if (![nextAt, lastSuccess, lastFailure].every(isTimeOrNull)) throw new DamagedContents("one of its times is none");
  return health;
}
