import { DamagedContents, type Database } from "../../store/sqlite.js";
import type { Queue } from "./batches.js";
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

/** Spans have the name of the ledger, as before there were metrics. */
function keyOf({ ledger, signal }: Queue): string {
  return signal === "traces" ? ledger : `${ledger} ${signal}`;
}

/** Tries at once, whatever was noted. */
export function forgetPause(db: Database, ledger: string): void {
  const update = db.prepare("UPDATE targets SET next_at = 0 WHERE name = ?");
  for (const signal of ["traces", "metrics"] as const) update.run(keyOf({ ledger, signal }));
}

/** Where nothing waits any more, such as after it was given up, nothing fails. */
export function forgetFailures(db: Database, ledger: string): void {
  const waits = "SELECT 1 FROM spans WHERE target = ? AND signal = ? AND state = 'queued'";
  const update = db.prepare(`UPDATE targets SET failures = 0, next_at = 0, paused_with = NULL
    WHERE name = ? AND NOT EXISTS (${waits})`);
  for (const signal of ["traces", "metrics"] as const) update.run(keyOf({ ledger, signal }), ledger, signal);
}

export function noteOutcome(db: Database, queue: Queue, outcome: Outcome): void {
  const key = keyOf(queue);
  db.prepare("INSERT OR IGNORE INTO targets (name, failures, next_at) VALUES (?, 0, 0)").run(key);
  if (outcome.kind === "success") {
    const success = "UPDATE targets SET failures = 0, next_at = 0, paused_with = NULL, last_success = ? WHERE name = ?";
    db.prepare(success).run(outcome.at, key);
    return;
  }
  const { at, reason, nextAt, pausedWith = null } = outcome;
  db.prepare(
    `UPDATE targets SET failures = failures + 1, next_at = ?, last_failure = ?, last_reason = ?, paused_with = ?
     WHERE name = ?`,
  ).run(nextAt, at, reason, pausedWith, key);
}

const HEALTHY: Health = {
  failures: 0,
  nextAt: 0,
  lastSuccess: null,
  lastFailure: null,
  lastReason: null,
  pausedWith: null,
};

export function readHealth(db: Database, queue: Queue): Health {
  const select = `SELECT failures, next_at AS nextAt, last_success AS lastSuccess, last_failure AS lastFailure,
    last_reason AS lastReason, paused_with AS pausedWith FROM targets WHERE name = ?`;
  const health = db.prepare<Health>(select).get(keyOf(queue)) ?? HEALTHY;
  const { nextAt, lastSuccess, lastFailure } = health;
  if (![nextAt, lastSuccess, lastFailure].every(isTimeOrNull)) throw new DamagedContents("one of its times is none");
  return health;
}
