import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { partMarkdown } from "../../../src/render/markdown/part-markdown.js";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { runCli } from "../../cli/run-cli.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { QUIRKS } from "../../oracle/quirks.js";
import { GOLDEN_TOOLS, goldenCalls } from "../tools/golden-calls.js";
import type { RecordedCall } from "../tools/recorded-calls.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const GOLDEN = join(import.meta.dirname, "..", "..", "golden", "markdown");
const SHOWN_CHARACTERS = 600;

describe("Markdown of recorded sessions", () => {
  test.each(QUIRKS)("$quirk is written as the golden file", async ({ quirk, file }) => {
    const { stdout } = await runCli(["export", join(CORPUS, file), "--format", "md", "--branch", "all", "--no-redact"]);
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, "sessions", `${quirk}.md`));
  });

  test("every golden file belongs to a quirk", () => {
    const expected = QUIRKS.map(({ quirk }) => `${quirk}.md`);
    expect(readdirSync(join(GOLDEN, "sessions")).toSorted()).toEqual(expected.toSorted());
  });
});

function goldenText({ call }: RecordedCall): string {
  const { title, parts } = viewTool(call);
  const body = parts.map((part) => partMarkdown(part)).join("");
  const shown =
    body.length > SHOWN_CHARACTERS ? `${body.slice(0, SHOWN_CHARACTERS)}… (${body.length} characters)\n` : body;
  return `# ${title} (${call.status})\n${shown}`;
}

describe("Markdown of recorded calls", () => {
  test.each(GOLDEN_TOOLS)("%s is written as the golden file", async (name) => {
    await expect(goldenCalls(name).map(goldenText).join("\n")).toMatchFileSnapshot(join(GOLDEN, "tools", `${name}.md`));
  });

  test("every golden file belongs to a tool", () => {
    expect(readdirSync(join(GOLDEN, "tools")).toSorted()).toEqual(GOLDEN_TOOLS.map((name) => `${name}.md`).toSorted());
  });
});
