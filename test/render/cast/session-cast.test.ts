import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { QUIRKS } from "../../oracle/quirks.js";
import { runs } from "../../runs.js";
import { hostileText } from "../markdown/hostile-text.js";
import { type Cast, parseCast, replay } from "./replay.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const GOLDEN = join(import.meta.dirname, "..", "..", "golden", "cast", "sessions");
const OWN_SEQUENCES =
  /^(?:\u001b\[(?:[12349]|2[2349]|3[1-6]|39)m|\u001b\[K|\r\n?|[^\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff])*$/;

async function castOf(file: string, ...options: string[]): Promise<Cast> {
  const { stdout, stderr, exitCode } = await runCli(["export", file, "--format", "cast", "--no-redact", ...options]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^not redacted/) });
  return parseCast(stdout);
}

const printedBy = ({ events }: Cast) => events.map(([, , text]) => text).join("");
const timesOf = ({ events }: Cast) => events.map(([time]) => time);

function sessionFile(records: readonly object[]): string {
  const path = join(temporaryFolder(), "session.jsonl");
  const lines = records.map((record, index) =>
    JSON.stringify({ uuid: `u${index}`, parentUuid: index === 0 ? null : `u${index - 1}`, ...record }),
  );
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
const user = (second: number, content: unknown) => ({
  type: "user",
  timestamp: at(second),
  message: { role: "user", content },
});
const model = (second: number, ...content: object[]) => ({
  type: "assistant",
  timestamp: at(second),
  message: { id: `m${second}`, role: "assistant", content },
});
const bash = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: "make" } });
const result = (id: string, content = "done") => [{ type: "tool_result", tool_use_id: id, content }];

describe("a recording", () => {
  test.each(QUIRKS)("of $quirk ends with the screen of the golden file", async ({ quirk, file }) => {
    const cast = await castOf(join(CORPUS, file), "--tools", "full");
    expect(cast.header).toMatchObject({ version: 2, width: 100, height: 30 });
    expect(timesOf(cast)).toEqual(timesOf(cast).toSorted((a, b) => a - b));
    expect(printedBy(cast)).toMatch(OWN_SEQUENCES);
    const screen = await replay(printedBy(cast), 100, 30);
    await expect(`${screen.join("\n").trimEnd()}\n`).toMatchFileSnapshot(join(GOLDEN, `${quirk}.txt`));
  });

  test("every golden file belongs to a quirk", () => {
    expect(readdirSync(GOLDEN).toSorted()).toEqual(QUIRKS.map(({ quirk }) => `${quirk}.txt`).toSorted());
  });

  test("types a prompt key by key, and streams an answer word by word", async () => {
    const file = sessionFile([user(0, "fix it"), model(3, { type: "text", text: "I will fix it now, I promise" })]);
    const { events } = await castOf(file, "--speed", "1");
    const texts = events.map(([, , text]) => text.replace(/\u001b\[\d+m/g, ""));
    expect(texts.join("|")).toContain("f|i|x| |i|t|");
    expect(texts.filter((text) => /promise|fix it|now/.test(text)).length).toBeGreaterThan(1);
  });

  test("shows a tool as running until its result is known", async () => {
    const file = sessionFile([
      user(0, "build"),
      model(1, bash("t1")),
      user(2.5, result("t1")),
      model(3, { type: "text", text: "ok" }),
    ]);
    const cast = await castOf(file, "--speed", "1");
    const started = cast.events.findIndex(([, , text]) => text.includes("▸"));
    const ended = cast.events.findIndex(([, , text]) => text.includes("✓"));
    expect(ended).toBeGreaterThan(started);
    expect((timesOf(cast)[ended] ?? 0) - (timesOf(cast)[started] ?? 0)).toBeCloseTo(1.5, 1);
  });

  test("--max-pause cuts pauses, --speed makes everything faster", async () => {
    const file = sessionFile([user(0, "wait"), model(3600, { type: "text", text: "an hour later" })]);
    const end = async (...options: string[]) => timesOf(await castOf(file, ...options)).at(-1) ?? 0;
    const cut = await end("--speed", "1", "--max-pause", "5");
    expect(await end("--speed", "1", "--max-pause", "7200")).toBeGreaterThan(3600);
    expect(cut).toBeLessThan(15);
    expect(await end("--speed", "4", "--max-pause", "5")).toBeCloseTo((cut - 2) / 4 + 2, 1);
  });

  test("of two hours plays in a few minutes", async () => {
    const records = Array.from({ length: 300 }, (_, index) => [
      ...(index % 15 === 0 ? [user(index * 24, "Go on with the next part, please. ".repeat(6))] : []),
      model(index * 24 + 5, { type: "text", text: "Now the next file. ".repeat(10) }, bash(`t${index}`)),
      user(index * 24 + 20, result(`t${index}`)),
    ]);
    const last = timesOf(await castOf(sessionFile(records.flat()))).at(-1) ?? 0;
    expect(last).toBeGreaterThan(60);
    expect(last).toBeLessThan(300);
  });

  test("--columns and --rows are the size of the terminal, and no line is wider", async () => {
    const file = sessionFile([
      user(0, "word ".repeat(50)),
      model(1, { type: "text", text: `${"x".repeat(99)} 文字`.repeat(3) }),
    ]);
    const cast = await castOf(file, "--columns", "40", "--rows", "10");
    expect(cast.header).toMatchObject({ width: 40, height: 10 });
    const narrow = await replay(printedBy(cast), 40, 10);
    expect(await replay(printedBy(cast), 200, 10)).toEqual(narrow);
  });

  test("plays one branch", async () => {
    const file = join(CORPUS, QUIRKS[0]?.file ?? "");
    const { exitCode, stderr } = await runCli(["export", file, "--format", "cast", "--branch", "all"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("a recording shows one branch only");
  });
});

test("nothing in a session reaches the terminal but words", async () => {
  const evil =
    "\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b]8;;https://evil.example\u001b\\\u009b31m\u202e\u200b\u001b[2J\u001bc\ud800";
  const property = fc.asyncProperty(hostileText(), async (some) => {
    const text = `${some}${evil}${some}`;
    const call = { type: "tool_use", id: "t1", name: text, input: { [text]: text } };
    const file = sessionFile([
      { type: "custom-title", customTitle: text },
      user(0, text),
      model(1, { type: "thinking", thinking: text }, { type: "text", text }, call),
      user(2, result("t1", text)),
      { type: "system", subtype: "informational", timestamp: at(3), content: text },
      model(4, { type: "text", text }),
    ]);
    const cast = await castOf(file, "--tools", "full");
    expect(cast.events.filter(([, , printed]) => !OWN_SEQUENCES.test(printed))).toEqual([]);
  });
  await fc.assert(property, runs(40));
});
