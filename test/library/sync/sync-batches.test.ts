import { resolve } from "node:path";
import { expect, test } from "vitest";
import { listLibrary } from "../../../src/library/catalog/list-catalog.js";
import { useIndex } from "../../../src/library/sync/use-index.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "demo");

/** With how often others got their turn meanwhile. */
async function syncIn(batchBytes: number) {
  let pauses = 0;
  let next = setImmediate(function tick() {
    pauses += 1;
    next = setImmediate(tick);
  });
  const list = await useIndex(temporaryFolder(), [DEMO], { batchBytes }, (index, sync) =>
    listLibrary(index, sync, [DEMO]),
  );
  clearImmediate(next);
  return { pauses, ids: list.sessions.map(({ id }) => id) };
}

test("a sync in small batches pauses often and ends the same", async () => {
  const small = await syncIn(1);
  const large = await syncIn(1_000_000_000);
  expect(small.pauses).toBeGreaterThan(large.pauses + large.ids.length);
  expect(small.ids).toEqual(large.ids);
});

test("without a sync the index is taken as it is", async () => {
  const data = temporaryFolder();
  const count = (sync: boolean) =>
    useIndex(data, [DEMO], { sync }, async (index, result) => ({
      found: (await listLibrary(index, result, [DEMO])).found,
      synced: result !== undefined,
    }));
  expect(await count(false)).toEqual({ found: 0, synced: false });
  const { found } = await count(true);
  expect(found).toBeGreaterThan(5);
  expect(await count(false)).toEqual({ found, synced: false });
});
