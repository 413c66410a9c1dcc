import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import type { OtlpSpan } from "../../../src/trace/spans/to-spans.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { allSpans, plainAttributes } from "../all-spans.js";

const ROOTS = [
  "2.0.50/print",
  "2.1.45/print",
  "2.1.45/interactive",
  "2.1.45/interactive2",
  "2.1.81/print",
  "2.1.200/print",
  "2.1.325/print",
  "2.1.325/interactive",
].map((folder) => join(CORPUS, folder));
const DEMO = join(CORPUS, "..", "..", "demo");

/** What a backend holds that keeps each span once. */
function spansOf(root: string): OtlpSpan[] {
  const all = findSessions([root]).sessions.flatMap(({ path }) => allSpans(path));
  return [...new Map(all.map((span) => [span.spanId, span])).values()];
}

const sum = (numbers: readonly (number | undefined)[]) => numbers.reduce<number>((a, b) => a + (b ?? 0), 0);

function addUp(spans: readonly OtlpSpan[]) {
  const generations = spans.map(({ attributes }) => plainAttributes(attributes));
  const details = generations.map(
    (it): Record<string, number> => JSON.parse(String(it["langfuse.observation.usage_details"] ?? "{}")),
  );
  const costs = generations.map(
    (it): Record<string, number> => JSON.parse(String(it["langfuse.observation.cost_details"] ?? "{}")),
  );
  return {
    unknown: generations.filter((it) => it["turnlog.output_tokens_unknown"] === true).length,
    input: sum(details.map((it) => it["input"])),
    output: sum(details.map((it) => it["output"])),
    cacheRead: sum(details.map((it) => it["input_cache_read"])),
    cacheWrite5m: sum(details.map((it) => it["input_cache_creation_5m"])),
    cacheWrite1h: sum(details.map((it) => it["input_cache_creation_1h"])),
    inputTold: sum(generations.map((it) => Number(it["gen_ai.usage.input_tokens"] ?? 0))),
    costUsd: sum(costs.flatMap(({ total: _total, ...kinds }) => Object.values(kinds))),
    costTold: sum(generations.map((it) => Number(it["turnlog.cost_usd"] ?? 0))),
  };
}

async function statsOf(root: string) {
  const { stdout } = await runCli(["stats", "--json", "--config-dir", root], { TURNLOG_DATA_DIR: temporaryFolder() });
  return JSON.parse(stdout).totals;
}

describe.each([...ROOTS, DEMO])("the spans of %s", (root) => {
  test("have the tokens that stats count, kind by kind, and the cost", async () => {
    const spans = addUp(spansOf(root));
    const { usage, unknownOutputs, costUsd } = await statsOf(root);
    expect(spans.costTold).toBeCloseTo(costUsd, 9);
    expect(spans).toMatchObject({
      input: usage.input,
      cacheRead: usage.cacheRead,
      cacheWrite5m: usage.cacheWrite5m,
      cacheWrite1h: usage.cacheWrite1h,
      inputTold: usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
      unknown: unknownOutputs,
    });
  });
});

test("have the output tokens that stats count, where all are known", async () => {
  const root = join(CORPUS, "2.1.200", "print");
  const spans = addUp(spansOf(root));
  const { usage } = await statsOf(root);
  expect(spans.unknown).toBe(0);
  expect(spans.output).toBe(usage.output);
});
