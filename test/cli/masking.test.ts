import { describe, expect, test } from "vitest";
import { FILE_PLACES, type Place, plantLibrary, SHOWN_PLACES, tokenOf } from "./planted-library.js";
import { runCli } from "./run-cli.js";

const leaked = (text: string, places: readonly Place[]) => places.filter((place) => text.includes(tokenOf(place)));

/** Text shows what the client noted of a call rather than what the model read; attachments are in neither. */
const VIEWS = [
  {
    view: "as text",
    options: ["--tools", "full", "--thinking"],
    places: ["title", "prompt", "tool input", "tool data"] as const,
  },
  { view: "as JSON", options: ["--json"], places: [...SHOWN_PLACES, "tool data"] as const },
  { view: "as events", options: ["--events", "--json"], places: ["prompt", "tool input", "tool output"] as const },
];

describe.each(VIEWS)("a session shown $view", ({ options, places }) => {
  test("masks every token", async () => {
    const { stdout, stderr } = await runCli(["show", plantLibrary().path, ...options]);
    expect(leaked(stdout + stderr, FILE_PLACES)).toEqual([]);
    expect(stdout).toContain("[REDACTED:github-token:1]");
  });

  test("keeps them with --reveal", async () => {
    const { stdout } = await runCli(["show", plantLibrary().path, ...options, "--reveal"]);
    expect(leaked(stdout, places)).toEqual(places);
    expect(stdout).not.toContain("REDACTED");
  });
});

test.each([{ args: ["list"] }, { args: ["list", "--json"] }])("$args masks a token in a title", async ({ args }) => {
  const env = { CLAUDE_CONFIG_DIR: plantLibrary().root };
  const { stdout } = await runCli(args, env, { columns: 200 });
  expect(stdout).toContain("Deploy with [REDACTED:github-token:1]");
  const revealed = await runCli([...args, "--reveal"], env, { columns: 200 });
  expect(revealed.stdout).toContain(`Deploy with ${tokenOf("title")}`);
});
