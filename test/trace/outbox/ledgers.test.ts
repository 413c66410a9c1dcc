import { expect, test } from "vitest";
import { openDatabase } from "../../../src/store/sqlite.js";
import { type Outbox, withOutbox } from "../../../src/trace/outbox/outbox.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const at = (address: string) => ({ name: "t", url: `http://${address}/v1/traces`, identities: [address] });

function parcel(ledger: string, spanId: string) {
  return { ledger, session: "s", agents: [], spans: [{ spanId, kind: "turn" as const, json: "{}" }] };
}

/** Stores a span as a hook does, and sends it. Returns whether it was new. */
function tell(outbox: Outbox, address: string, spanId: string): boolean {
  const ledger = outbox.ledgerOf(at(address));
  const stored = outbox.store([parcel(ledger, spanId)], { which: "newest" });
  const batch = outbox.nextBatch({ ledger, signal: "traces" }, 1000);
  if (batch) outbox.settle(batch, { state: "sent" });
  return stored === 1;
}

/** As the next process does, which opens the ledger anew. */
const visit = (dir: string, address: string, spanId: string) =>
  withOutbox(dir, (outbox) => tell(outbox, address, spanId));

test("a target that moves back and forth is not told again what any of its places has got", async () => {
  const dir = temporaryFolder();
  const places = ["first", "second", "third", "second"];
  for (const [number, address] of places.entries()) expect(await visit(dir, address, `span-${number}`)).toBe(true);
  for (const number of places.keys()) expect(await visit(dir, "second", `span-${number}`)).toBe(false);
});

test("what was refused waits for a retry at the next place, what was given up stays given up", async () => {
  const dir = temporaryFolder();
  await withOutbox(dir, (outbox) => {
    const ledger = outbox.ledgerOf(at("first"));
    outbox.store([parcel(ledger, "given up")]);
    outbox.drop([ledger], "all");
    outbox.store([parcel(ledger, "refused")]);
    const batch = outbox.nextBatch({ ledger, signal: "traces" }, 1000);
    if (batch) outbox.settle(batch, { state: "dead", reason: "HTTP 400", isPartly: false });
  });
  await withOutbox(dir, (outbox) => {
    const ledger = outbox.ledgerOf(at("second"));
    expect(outbox.store([parcel(ledger, "given up"), parcel(ledger, "refused")])).toBe(0);
    expect(outbox.revive([ledger])).toBe(1);
  });
});

test("what an older version gave up because of the key waits again, other refusals stay", async () => {
  const dir = temporaryFolder();
  await withOutbox(dir, (outbox) => {
    const reasons = ["HTTP 401: no", "HTTP 403", "HTTP 400: bad span"];
    for (const [number, reason] of reasons.entries()) {
      outbox.store([parcel("t", `span-${number}`)]);
      const batch = outbox.nextBatch({ ledger: "t", signal: "traces" }, 1000);
      if (batch) outbox.settle(batch, { state: "dead", reason, isPartly: false });
    }
  });
  const database = openDatabase(`${dir}/outbox.db`);
  database.exec(`DROP INDEX queued; DROP TABLE ledgers; DROP TABLE events; ALTER TABLE spans DROP COLUMN signal;
    ALTER TABLE targets DROP COLUMN paused_with;
    CREATE INDEX queued ON spans (target, batch, number) WHERE state = 'queued'; PRAGMA user_version = 2`);
  database.close();
  await withOutbox(dir, (outbox) => {
    const ledger = outbox.ledgerOf(at("first"));
    const ids = outbox.nextBatch({ ledger, signal: "traces" }, 1000)?.spans.map(({ number }) => number);
    expect(ids).toEqual([1, 2]);
    expect(outbox.counts()).toMatchObject([
      { ledger, state: "dead", reason: "HTTP 400: bad span", spans: 1 },
      { ledger, state: "queued", reason: null, spans: 2 },
    ]);
  });
});
