import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openAppender } from "../../../src/format/writer/append.js";
import { runs } from "../../runs.js";
import { temporaryFolder } from "../temporary-folder.js";
import { faultyFileOps } from "./faulty-file-ops.js";

type Step =
  | { readonly does: "append" | "flush" }
  | { readonly does: "leave-space" | "shorten-writes"; readonly bytes: number }
  | { readonly does: "write-too" | "write-too-before-us" | "write-too-after-us"; readonly text: string };

const foreignText = fc.constantFrom('{"foreign":1}\n', '{"foreign', "\n", '\n{"foreign":2}\n');
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Step>({ does: "append" }) },
    { weight: 1, arbitrary: fc.constant<Step>({ does: "flush" }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant("leave-space" as const), bytes: fc.nat(40) }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant("shorten-writes" as const), bytes: fc.integer({ min: 1, max: 30 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        does: fc.constantFrom("write-too", "write-too-before-us", "write-too-after-us"),
        text: foreignText,
      }),
    },
  ),
  { maxLength: 40 },
);

/** Runs the steps against a real file on a faulty disk that is healthy again in the end. */
async function runSteps(before: string, story: readonly Step[]) {
  const path = join(temporaryFolder({ "session.jsonl": before }), "session.jsonl");
  const disk = faultyFileOps();
  const appender = openAppender(path, { ops: disk });
  const lines: string[] = [];
  const run = async (step: Step): Promise<unknown> => {
    switch (step.does) {
      case "append":
        lines.push(JSON.stringify({ ours: lines.length, text: "x".repeat(lines.length % 23) }));
        return appender.append(lines.at(-1) ?? "").catch(() => "kept");
      case "flush":
        return appender.flush().catch(() => "kept");
      case "leave-space":
        return Object.assign(disk, { space: step.bytes });
      case "shorten-writes":
        return Object.assign(disk, { largestWrite: step.bytes });
      case "write-too":
        return appendFileSync(path, step.text);
      case "write-too-before-us":
        return Object.assign(disk, { beforeWrite: () => appendFileSync(path, step.text) });
      case "write-too-after-us":
        return Object.assign(disk, { afterWrite: () => appendFileSync(path, step.text) });
    }
  };
  for (const step of story) await run(step);
  disk.space = Number.POSITIVE_INFINITY;
  await appender.close();
  return { lines, text: readFileSync(path, "utf8"), counts: disk.counts };
}

const occurrences = (text: string, part: string) => text.split(part).length - 1;

test("whatever fails and whoever else writes, every line of ours is there once, in order, and nothing is cut", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom("", "{}\n", '{"cut'), async (story, before) => {
      const { lines, text, counts } = await runSteps(before, story);
      const places = lines.map((line) => text.indexOf(line));
      expect(text.startsWith(before)).toBe(true);
      expect(lines.map((line) => occurrences(text, line))).toEqual(lines.map(() => 1));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(counts.opened).toBe(counts.closed);
    }),
    runs(400),
  );
});
