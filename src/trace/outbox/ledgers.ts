import type { Database } from "../../store/sqlite.js";

/** A target as the outbox knows it: an account at an address, under a name that may change. */
export interface LedgerOwner {
  readonly name: string;
  readonly url: string;
  /** Hashes of address and account. Several where the account has several names; the best known first; none while it cannot be told. */
  readonly identities: readonly string[];
}

export interface Ledger {
  readonly ledger: string;
  readonly name: string;
  readonly url: string;
}

interface LedgerRow extends Ledger {
  readonly identity: string;
  /** Ledgers that the target had before, in lines. */
  readonly earlier: string | null;
}

/** A target that was removed keeps its ledger, under a name that no other takes over. */
const REMOVED = " (removed)";
/** Of the time when a ledger was a name. */
const BY_NAME = "name ";

/**
 * The ledger of a target: what its account at its address has got. A target that moved, or got another account, has a new one,
 * and takes along what waits. A key that replaces a refused one is that of the same account.
 */
export function openLedger(db: Database, owner: LedgerOwner, now: number, { isSameAccount = false } = {}): string {
  const last = lastOfName(db, owner.name);
  if (owner.identities.length === 0 && last?.url === owner.url) return last.ledger;
  const ledger = findByIdentity(db, owner) ?? (last && inherit(db, owner, last, isSameAccount)) ?? newLedger(owner);
  const isMoved = last !== undefined && last.ledger !== ledger;
  if (isMoved) takeAlong(db, last.ledger, ledger);
  register(db, owner, { ledger, earlier: isMoved ? last.ledger : null, isLast: !isMoved && last !== undefined }, now);
  return ledger;
}

function findByIdentity(db: Database, { identities }: LedgerOwner): string | undefined {
  const find = db.prepare<LedgerRow>("SELECT * FROM ledgers WHERE identity = ?");
  const mended = db.prepare("SELECT 1 FROM spans WHERE target = ? LIMIT 1"); // its row may have been damaged
  for (const identity of identities) {
    const ledger = find.get(identity)?.ledger ?? (mended.get(identity) ? identity : undefined);
    if (ledger !== undefined) return ledger;
  }
  return undefined;
}

function inherit(db: Database, { url }: LedgerOwner, last: LedgerRow, isSameAccount: boolean): string | undefined {
  if (last.identity.startsWith(BY_NAME)) {
    db.prepare("DELETE FROM ledgers WHERE identity = ?").run(last.identity);
    return last.ledger;
  }
  const paused = db.prepare("SELECT 1 FROM targets WHERE name = ? AND paused_with IS NOT NULL");
  const isKeyReplaced = last.url === url && paused.get(last.ledger) !== undefined;
  return isSameAccount || isKeyReplaced ? last.ledger : undefined;
}

function newLedger({ name, identities }: LedgerOwner): string {
  return identities[0] ?? name;
}

/**
 * What waits or was refused as a whole arrived nowhere yet. What the other ledger knows already needs no second entry. What was
 * given up stays given up.
 */
function takeAlong(db: Database, from: string, to: string): void {
  const arrivedNowhere = "(state = 'queued' OR (state = 'dead' AND batch IS NULL))";
  db.prepare(`UPDATE OR IGNORE spans SET target = ?, batch = NULL WHERE target = ? AND ${arrivedNowhere}`).run(
    to,
    from,
  );
  db.prepare(`DELETE FROM spans WHERE target = ? AND ${arrivedNowhere}`).run(from);
  const giveUp = `INSERT OR IGNORE INTO spans (target, span_id, session, state, json, bytes, signal)
    SELECT ?, span_id, session, state, NULL, 0, signal FROM spans WHERE target = ? AND state = 'dropped'`;
  db.prepare(giveUp).run(to, from);
}

function lastOfName(db: Database, name: string): LedgerRow | undefined {
  return db.prepare<LedgerRow>("SELECT * FROM ledgers WHERE name = ? ORDER BY opened_at DESC LIMIT 1").get(name);
}

interface Registered {
  readonly ledger: string;
  readonly earlier: string | null;
  /** It is the last of its name already. */
  readonly isLast: boolean;
}

/** Of several ledgers with one name, the one that was used last has it. */
function register(
  db: Database,
  { name, url, identities }: LedgerOwner,
  { ledger, earlier, isLast }: Registered,
  now: number,
): void {
  const latest = db.prepare<{ at: number | null }>("SELECT max(opened_at) AS at FROM ledgers").get()?.at ?? 0;
  const insert = db.prepare(`INSERT INTO ledgers VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (identity) DO UPDATE SET name = excluded.name, url = excluded.url, opened_at = excluded.opened_at,
      earlier = excluded.earlier
    WHERE name <> excluded.name OR url <> excluded.url OR ?`);
  const at = Math.max(now, latest + 1); // the clock may have been set back
  const before = new Set([...(earlier === null ? [] : [earlier]), ...namedEarlier(db, ledger)]);
  const lines = before.size === 0 ? null : [...before].join("\n");
  const known = identities.length > 0 ? identities : [`${BY_NAME}${name}`];
  for (const identity of known) insert.run(identity, ledger, name, url, lines, at, isLast ? 0 : 1);
}

/** The ledgers that a target had before, last first. */
export function earlierLedgers(db: Database, ledger: string): string[] {
  const all = new Set([ledger]);
  for (const one of all) for (const before of namedEarlier(db, one)) all.add(before);
  return [...all].slice(1);
}

/** Those from which the target came to this one, at any time. */
function namedEarlier(db: Database, ledger: string): string[] {
  const find = db.prepare<{ earlier: string }>(
    "SELECT earlier FROM ledgers WHERE ledger = ? AND earlier IS NOT NULL ORDER BY opened_at DESC",
  );
  return [...new Set(find.all(ledger).flatMap(({ earlier }) => earlier.split("\n")))];
}

/** The ledger of the target that has this name now. */
export function ledgerNamed(db: Database, name: string): string | undefined {
  return lastOfName(db, name)?.ledger;
}

/** What waits for a removed target waits for the same account at the same address. */
export function closeLedger(db: Database, ledger: string): void {
  db.prepare(`UPDATE ledgers SET name = name || '${REMOVED}' WHERE ledger = ? AND name NOT LIKE '%${REMOVED}'`).run(
    ledger,
  );
}

/** All that are or were targets, each once, as it was called last. */
export function listLedgers(db: Database): Ledger[] {
  const rows = db.prepare<Ledger>("SELECT ledger, name, url FROM ledgers ORDER BY opened_at").all();
  return [...new Map(rows.map((row) => [row.ledger, row])).values()];
}
