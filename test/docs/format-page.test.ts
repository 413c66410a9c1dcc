import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseRecords } from "../../src/format/reader/record-reader.js";
import { describeSession } from "../../src/session/describe-session.js";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "format.md"), "utf8");

function fencedBlock(language: string): string {
  return page.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}

test("the small session of the format page means what the page says", () => {
  const { turns, totals, warnings } = describeSession(parseRecords(fencedBlock("jsonl")));
  expect(warnings).toEqual([]);
  expect(turns.map(({ prompt }) => prompt)).toEqual(["How many tests are there?"]);
  expect(totals).toMatchObject({ turns: 1, messages: 2, toolCalls: 1, usage: { output: 43 } });
});

test("links within the format page lead to its headings", () => {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((anchor) => !headings.includes(anchor ?? ""))).toEqual([]);
});
