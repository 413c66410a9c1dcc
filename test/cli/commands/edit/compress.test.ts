import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, call, chain, prompt, result, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { oldLibrary } from "../../old-library.js";
import { runCli } from "../../run-cli.js";
import { startSummaryApi } from "../../summary-api.js";

const SECRET = `sk-ant-api03-${"Ab3dEf6hIj".repeat(9)}AA`;
const turn = (name: string) => [
  prompt(`please ${name}`),
  call(name, "Bash", { command: `echo ${name} ${SECRET}` }),
  result(name, `${name} ${"output ".repeat(100)}`),
  answer(`${name} is done`),
];

function session(): { readonly file: string; readonly out: string; readonly env: Record<string, string> } {
  const folder = temporaryFolder();
  const file = join(folder, "7d0b6a3e-1111-4222-8333-444455556666.jsonl");
  writeFileSync(file, toLines(chain(...["a", "b", "c", "d"].flatMap(turn))));
  return { file, out: join(folder, "out.jsonl"), env: oldLibrary().env };
}

describe("turnlog compress", () => {
  test("writes a session that starts at a summary, and sends nothing", async () => {
    const { file, out, env } = session();
    const { exitCode, stderr } = await runCli(["compress", file, "-o", out], env);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("3 turns become a summary");
    expect(readFileSync(out, "utf8")).toContain('"subtype":"compact_boundary"');
  });

  test("takes bands, --keep-calls, --per-turn and --summary-title", async () => {
    const { file, out, env } = session();
    const flags = [
      "--band",
      "0-50:heavy",
      "--band",
      "50-75:light",
      "--keep-calls",
      "--per-turn",
      "--summary-title",
      "T",
    ];
    expect(await runCli(["compress", file, "-o", out, ...flags], env)).toMatchObject({ exitCode: 0 });
    expect(readFileSync(out, "utf8")).toContain("[condensed by turnlog; in full from line ");
  });

  test.each(["60:heavy", "60-20:light", "0-101:heavy", "0-50:medium"])("refuses --band %s", async (band) => {
    const { file, env } = session();
    expect(await runCli(["compress", file, "--band", band], env)).toMatchObject({ exitCode: 2 });
  });

  test("tells what a model would get and what that costs, and sends nothing without --yes", async () => {
    const { file, out, env } = session();
    const api = await startSummaryApi("It was short.");
    const args = ["compress", file, "-o", out, "--model", "claude-haiku-4-5", "--base-url", api.url];
    const { stderr, exitCode } = await runCli(args, { ...env, ANTHROPIC_API_KEY: "k" });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/3 turns to claude-haiku-4-5 at http.*, redacted: about \d+ tokens in .*about \$0\.\d\d/);
    expect(stderr).toContain("nothing was sent");
    expect(api.requests).toEqual([]);
  });

  test("lets a model write the summaries, from redacted turns", async () => {
    const { file, out, env } = session();
    const api = await startSummaryApi("It was short.");
    const args = ["compress", file, "-o", out, "--model", "claude-haiku-4-5", "--base-url", api.url, "--yes"];
    const { exitCode } = await runCli(args, { ...env, ANTHROPIC_API_KEY: "k" });
    expect(exitCode).toBe(0);
    expect(api.requests).toHaveLength(3);
    expect(api.requests.join()).not.toContain(SECRET);
    const text = readFileSync(out, "utf8");
    expect(text.match(/It was short\./g)).toHaveLength(3);
    expect(text).toContain("please a");
    expect(text).not.toContain("a is done");
  });

  test("keeps the turns of which a model made nothing", async () => {
    const { file, out, env } = session();
    const api = await startSummaryApi("It was short.", "please b");
    const args = ["compress", file, "-o", out, "--model", "m", "--base-url", api.url, "--yes", "--no-redact"];
    const { exitCode, stderr } = await runCli(args, { ...env, ANTHROPIC_AUTH_TOKEN: "t" });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("no price known");
    expect(stderr).toContain("turn 2 is kept as it is");
    expect(readFileSync(out, "utf8")).toContain("b output output");
    expect(api.requests.join()).toContain(SECRET);
  });

  test("says so when there is no API key, or no summary at all", async () => {
    const { file, out, env } = session();
    const api = await startSummaryApi("It was short.", "please");
    const args = ["compress", file, "-o", out, "--model", "m", "--base-url", api.url, "--yes"];
    const keyless = { ...env, ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "" };
    expect((await runCli(args, keyless)).stderr).toContain("no API key");
    expect(await runCli(args, { ...env, ANTHROPIC_API_KEY: "k" })).toMatchObject({ exitCode: 1 });
  });
});
