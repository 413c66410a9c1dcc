import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { QUIRKS } from "../../../oracle/quirks.js";
import { goldenHead } from "../../../render/html/page-tools.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const GOLDEN = join(import.meta.dirname, "..", "..", "..", "golden", "html", "sessions");

/** What is different from page to page; the rest is in `src/render/html`. */
const bodyOf = (page: string) =>
  goldenHead(4) +
  (/<body>\n(.*)<script>/s.exec(page)?.[1] ?? "").replace(/<search .*<\/search>|<dialog .*<\/dialog>/gs, "");

test.each(QUIRKS)("exports $quirk as the golden file shows it", async ({ quirk, file }) => {
  const { stdout } = await runCli(["export", join(CORPUS, file), "--format", "html", "--no-redact"]);
  await expect(bodyOf(stdout)).toMatchFileSnapshot(join(GOLDEN, `${quirk}.html`));
});

test("every golden page belongs to a quirk", () => {
  expect(readdirSync(GOLDEN).toSorted()).toEqual(QUIRKS.map(({ quirk }) => `${quirk}.html`).toSorted());
});
