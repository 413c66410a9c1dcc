import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { PLACES, PLANTED_ID, plantLibrary, tokenOf } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

interface Found {
  readonly kind: string;
  readonly fingerprint: string;
  readonly sessionId: string;
  readonly path: string;
  readonly line: number;
}

const leaked = (text: string) => PLACES.filter((place) => text.includes(tokenOf(place)));
const placesOf = (stdout: string) =>
  (JSON.parse(stdout) as Found[])
    .filter(({ kind }) => kind === "github-token")
    .map(({ path, line }) => `${basename(path)}:${line}`);

const EVERY_PLACE = [
  `${PLANTED_ID}.jsonl:1`,
  `${PLANTED_ID}.jsonl:2`,
  `${PLANTED_ID}.jsonl:3`,
  `${PLANTED_ID}.jsonl:4`,
  `${PLANTED_ID}.jsonl:4`,
  `${PLANTED_ID}.jsonl:5`,
  "agent-a1b2c3d.jsonl:1",
  "toolu_02.txt:2",
  "0123456789abcdef@v1:1",
];

describe.each([
  { what: "all sessions", name: [] },
  { what: "one session", name: [PLANTED_ID] },
])("a scan of $what", ({ name }) => {
  const scan = (...options: string[]) =>
    runCli(["scan", ...name, ...options], { CLAUDE_CONFIG_DIR: plantLibrary().root });

  test("finds every secret, side files included", async () => {
    expect(placesOf((await scan("--json")).stdout)).toEqual(EVERY_PLACE);
  });

  test.each([{ options: [] }, { options: ["--json"] }])("never prints one: $options", async ({ options }) => {
    const { stdout, stderr } = await scan(...options);
    expect(stdout).toContain("github-token");
    expect(leaked(stdout + stderr)).toEqual([]);
  });

  test("names file and line in its table, and counts", async () => {
    const { stdout, exitCode } = await scan();
    expect(stdout).toMatch(new RegExp(`^${PLANTED_ID}  github-token +#\\w+ +line 2$`, "m"));
    expect(stdout).toMatch(/ line 1 of agent-a1b2c3d\.jsonl$/m);
    expect(stdout).toMatch(/\n\d+ secrets in 1 session\n$/);
    expect(exitCode).toBe(0);
  });
});

test("has the fields of the contract", async () => {
  const { stdout } = await runCli(["scan", "--json"], { CLAUDE_CONFIG_DIR: plantLibrary().root });
  expect(Object.keys(JSON.parse(stdout)[0]).join(", ")).toBe("kind, place, fingerprint, sessionId, path, line");
});

test("a library without secrets is said to have none", async () => {
  const { stdout } = await runCli(["scan"], { CLAUDE_CONFIG_DIR: temporaryFolder() });
  expect(stdout).toBe("no keys, tokens or passwords found\n");
});
