import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { searchLibrary } from "../../../src/library/search/run-search.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const COUNT = 20_000;
const ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";

/** A session of one prompt after the other, each with the word. */
function largeLibrary(): string {
  const root = temporaryFolder({ "projects/-home-dev-shop/empty": "" });
  const lines = Array.from({ length: COUNT }, (_, at) =>
    JSON.stringify({
      type: "user",
      uuid: `u${at}`,
      parentUuid: at === 0 ? null : `u${at - 1}`,
      sessionId: ID,
      timestamp: new Date(1_760_000_000_000 + at * 1000).toISOString(),
      message: { role: "user", content: `needle number ${at}` },
    }),
  );
  writeFileSync(join(root, "projects/-home-dev-shop", `${ID}.jsonl`), `${lines.join("\n")}\n`);
  return root;
}

/** How often a text was masked, and how many characters were split into parts. */
async function countWork({
  perSession = Number.POSITIVE_INFINITY,
  ...wanted
}: {
  perSession?: number;
  sessionId?: string;
}) {
  const counted = { masked: 0, split: 0 };
  const split = vi.spyOn(String.prototype, "split").mockImplementation(function (this: string, ...args: unknown[]) {
    counted.split += this.length;
    return Reflect.apply(original, this, args);
  });
  const mask = (text: string) => {
    counted.masked += 1;
    return text;
  };
  const request = { text: "needle", mode: "regex" as const, filter: {}, ...wanted };
  const answer = await searchLibrary(undefined, [largeLibrary()], request, [], { mask, perSession });
  split.mockRestore();
  return { ...counted, ...answer };
}

const original = String.prototype.split;

describe("a search without an index over 20,000 matching turns", () => {
  test("makes only the hits that are shown", async () => {
    const { hits, truncated, masked } = await countWork({ perSession: 3 });
    expect(hits.map(({ line }) => line)).toEqual([0, COUNT, COUNT - 1]);
    expect(truncated).toBe(true);
    expect(masked).toBeLessThan(20);
  });

  test("finds the turns of all of them in one pass", async () => {
    const { hits, masked, split } = await countWork({ sessionId: ID });
    expect(hits.map(({ turn }) => turn)).toEqual([null, ...Array.from({ length: COUNT }, (_, at) => at + 1)]);
    expect(masked).toBeLessThanOrEqual(4 * COUNT);
    expect(split).toBeLessThan(100 * COUNT);
  });
});
