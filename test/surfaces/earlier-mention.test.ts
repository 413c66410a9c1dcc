import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";

const ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6e";
const SECRET = ["Qz7pLm2x", "Vb9sTk4w"].join("");

/** A session that mentions a secret bare, and names it in a later record. */
function plantEarlyMention() {
  const record = (at: number, type: string, content: unknown) => ({
    type,
    uuid: `5b0c7d1e-0000-4000-8000-00000000000${at}`,
    parentUuid: at === 0 ? null : `5b0c7d1e-0000-4000-8000-00000000000${at - 1}`,
    sessionId: ID,
    timestamp: `2026-01-05T10:00:0${at}.000Z`,
    cwd: "/home/dev/shop",
    version: "2.1.326",
    message: { role: type, content },
  });
  const lines = [
    record(0, "user", `I tried ${SECRET} first, and it did not work.`),
    record(1, "assistant", [{ type: "text", text: "Where does it come from?" }]),
    record(2, "user", `From the settings: DB_PASSWORD=${SECRET}`),
    record(3, "assistant", [{ type: "text", text: "Thank you." }]),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const root = temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: text });
  return (...args: string[]) => runCli(args, { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() });
}

test.each(["jsonl", "json", "api", "md", "html"])(
  "a secret that is named later does not stand bare before in %s",
  async (format) => {
    const { stdout } = await plantEarlyMention()("export", ID, "--format", format);
    expect(stdout).toContain("I tried [REDACTED:password:1] first");
    expect(stdout).not.toContain(SECRET);
  },
);

test("nor in a redacted copy, nor in a bundle", async () => {
  const run = plantEarlyMention();
  const folder = temporaryFolder();
  const [copy, bundle] = [join(folder, "copy.jsonl"), join(folder, "bundle.tar.gz")];
  await run("redact", ID, "-o", copy);
  await run("bundle", ID, "-o", bundle);
  expect(readFileSync(copy, "utf8")).not.toContain(SECRET);
  expect(gunzipSync(readFileSync(bundle)).toString("utf8")).not.toContain(SECRET);
});

test("and a scan names both places", async () => {
  const { stdout } = await plantEarlyMention()("scan", ID, "--json");
  expect((JSON.parse(stdout) as { line: number }[]).map(({ line }) => line)).toEqual([1, 3]);
});
