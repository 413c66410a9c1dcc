import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

/** A refusal and an approval with words, an answered question and an approved plan. */
const WORDS = join(import.meta.dirname, "../../../crafted/persons-words.jsonl");
const VOICE = join(CORPUS, "handwritten-326/a0000001-0000-4000-8000-000000000001.jsonl");

interface Event {
  readonly type: string;
  readonly input: string;
}

async function print(...args: readonly string[]): Promise<string> {
  return (await runCli(args)).stdout;
}

describe("what a person said through a tool call", () => {
  test("is marked as their words in the terminal, also without tools", async () => {
    const shown = await print("show", WORDS, "--tools", "none");
    const said = shown.split("\n").filter((line) => line.startsWith("  >"));
    expect(said.slice(0, 5)).toEqual([
      "  > use the name answer.txt instead",
      "  > fine, but keep it short",
      "  > a dark red, as the bricks of the old station",
      "  > # Plan",
      "  >",
    ]);
    expect(shown).not.toContain("* fine, but keep it short");
  });

  test("is quoted in Markdown", async () => {
    const shown = await print("export", WORDS, "--format", "md");
    expect(shown).toContain("**You**\n\n> fine, but keep it short");
    expect(shown).toContain("**Which color?**\n\n> a dark red, as the bricks of the old station");
    expect(shown).toContain("**Approved plan**\n\n> ### Plan");
  });

  test("is a prompt in HTML", async () => {
    const page = await print("export", WORDS, "--format", "html");
    expect(page).toMatch(/class="follow-up"><p class="who">You<\/p><div class="prompt"><[^>]+>fine, but keep it short/);
  });

  test("stands at its call in JSON, and is an event of the user", async () => {
    const { turns } = JSON.parse(await print("show", WORDS, "--json"));
    const calls: { name: string; denial: string | null; personsWords: { kind: string; text: string }[] }[] =
      turns.flatMap((turn: { toolCalls: unknown[] }) => turn.toolCalls);
    expect(calls.map(({ name, denial, personsWords: [said] }) => [name, denial, said?.kind])).toEqual([
      ["Write", "user", "feedback"],
      ["Write", null, "feedback"],
      ["AskUserQuestion", null, "answer"],
      ["ExitPlanMode", null, "plan"],
      ["Bash", null, undefined],
    ]);
    const events = JSON.parse(await print("show", WORDS, "--events", "--json"));
    const ofUser = events.filter(({ type }: Event) => type === "user").map(({ input }: Event) => input);
    expect(ofUser).toContain("fine, but keep it short");
  });
});

test("talk on a voice call is a prompt with its answer", async () => {
  const { turns } = JSON.parse(await print("show", VOICE, "--json"));
  expect(turns.map(({ prompt }: { prompt: string }) => prompt)).toEqual([
    "Typed question one",
    "Spoken question two about the harbour",
  ]);
});
