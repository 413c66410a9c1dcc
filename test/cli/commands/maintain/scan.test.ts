import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
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

describe("what people typed", () => {
  const line = (sessionId: string, display: string, pastedContents: object = {}) =>
    `${JSON.stringify({ display, pastedContents, timestamp: 1, sessionId })}\n`;
  const GONE = "bbbbbbbb-0000-4000-8000-000000000002";
  const library = () => {
    const { root } = plantLibrary();
    const paste = { 1: { contentHash: "0123456789abcdef" } };
    const history = line(PLANTED_ID, "hello") + line(GONE, `use ${tokenOf("prompt")}`) + line(PLANTED_ID, "x", paste);
    writeFileSync(join(root, "history.jsonl"), `${history}{half ${tokenOf("title")}\n`);
    mkdirSync(join(root, "paste-cache"));
    writeFileSync(join(root, "paste-cache", "0123456789abcdef.txt"), `\n${tokenOf("sub-agent")}\n`);
    return { CLAUDE_CONFIG_DIR: root };
  };

  test("is scanned with all sessions, also of sessions that are gone", async () => {
    const { stdout } = await runCli(["scan", "--json"], library());
    expect(placesOf(stdout)).toEqual([...EVERY_PLACE, "history.jsonl:2", "0123456789abcdef.txt:2", "history.jsonl:4"]);
  });

  test("is scanned with one session, its own lines only", async () => {
    const { stdout } = await runCli(["scan", PLANTED_ID, "--json"], library());
    expect(placesOf(stdout)).toEqual([...EVERY_PLACE, "0123456789abcdef.txt:2"]);
  });
});

test("finds secrets in every place that holds something of the session", async () => {
  const { root } = plantLibrary();
  const places = [
    `debug/${PLANTED_ID}.txt`,
    `session-env/${PLANTED_ID}/hook.sh`,
    `jobs/5b0c7d1e/parent-transcript.jsonl`,
  ];
  for (const place of places) {
    mkdirSync(dirname(join(root, place)), { recursive: true });
    writeFileSync(join(root, place), `{"token":"${tokenOf("prompt")}"}\n`);
  }
  const { stdout } = await runCli(["scan", PLANTED_ID, "--json"], { CLAUDE_CONFIG_DIR: root });
  const found = (JSON.parse(stdout) as Found[]).map(({ path }) => path);
  expect(places.filter((place) => !found.includes(join(root, place)))).toEqual([]);
});
