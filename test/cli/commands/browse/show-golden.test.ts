import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { QUIRKS } from "../../../oracle/quirks.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const GOLDEN = join(import.meta.dirname, "..", "..", "..", "golden", "show");
const EVERYTHING = ["--branch", "all", "--thinking", "--tools", "full"];
const COLOURED = ["api-error", "automatic-compaction-and-fork", "interrupt-rewind-queue-2.1.45"];

test.each(QUIRKS)("shows $quirk as the golden file does", async ({ quirk, file }) => {
  const { stdout } = await runCli(["show", join(CORPUS, file), ...EVERYTHING]);
  await expect(stdout).toMatchFileSnapshot(join(GOLDEN, `${quirk}.txt`));
});

test.each(QUIRKS.filter(({ quirk }) => COLOURED.includes(quirk)))("colours $quirk", async ({ quirk, file }) => {
  const { stdout } = await runCli(["show", join(CORPUS, file), ...EVERYTHING], {}, { isTerminal: true });
  await expect(stdout).toMatchFileSnapshot(join(GOLDEN, `${quirk}.ansi`));
});

test("every golden file belongs to a quirk", () => {
  const expected = [...QUIRKS.map(({ quirk }) => `${quirk}.txt`), ...COLOURED.map((quirk) => `${quirk}.ansi`)];
  expect(readdirSync(GOLDEN).toSorted()).toEqual(expected.toSorted());
});
