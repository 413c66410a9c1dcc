import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CliResult, runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { serveApp } from "../server/served-app.js";
import { PLACES, type PlaceName } from "./places-of-session.js";
import { plantSession } from "./planted-session.js";

interface Found {
  readonly kind: string;
  readonly path: string;
  readonly line: number;
  readonly fingerprint: string;
}

/** A session without what an edit leaves behind: backups of files, and what people typed. */
function plantCopied(seed: number) {
  const session = plantSession(seed);
  rmSync(join(session.root, "file-history"), { recursive: true });
  rmSync(join(session.root, "history.jsonl"));
  const run = (...args: string[]) =>
    runCli(args, { CLAUDE_CONFIG_DIR: session.root, TURNLOG_DATA_DIR: temporaryFolder() });
  const scan = async () => JSON.parse((await run("scan", session.id, "--json")).stdout) as Found[];
  return { ...session, run, scan };
}

const secretsIn = ({ stderr }: CliResult) => Number(/\((\d+) different secrets?\)/.exec(stderr)?.[1]);
const distinct = (found: readonly Found[]) => new Set(found.map(({ fingerprint }) => fingerprint)).size;

test("a scan, a dry run and a redacted copy tell the same number of secrets", async () => {
  const { run, scan, id } = plantCopied(5);
  const expected = distinct(await scan());
  expect(expected).toBeGreaterThan(300);
  expect(secretsIn(await run("redact", id, "--dry-run"))).toBe(expected);
  expect(secretsIn(await run("redact", id, "-o", join(temporaryFolder(), "copy.jsonl")))).toBe(expected);
});

test("a scan and an export of the same lines tell the same number", async () => {
  const { run, scan, id, path } = plantCopied(5);
  const lines = (await scan()).filter((found) => found.path === path);
  expect(secretsIn(await run("export", id, "--format", "jsonl"))).toBe(distinct(lines));
});

test("the web UI's previews tell the same numbers", async () => {
  const { scan, id, root, path } = plantCopied(5);
  const { post } = await serveApp({ configDir: root });
  const preview = async (kind: string, body: object) =>
    (await (await post(`/api/sessions/${id}/${kind}/preview`, body)).json()) as {
      readonly redaction: { readonly secrets: number };
      readonly report: { readonly secrets: number };
    };
  const found = await scan();
  expect((await preview("edit", { command: "redact" })).redaction.secrets).toBe(distinct(found));
  const lines = found.filter((one) => one.path === path);
  expect((await preview("export", { format: "jsonl" })).report.secrets).toBe(distinct(lines));
});

test("a dry run tells the same table as the run itself", async () => {
  const { run, id } = plantCopied(5);
  const table = ({ stderr }: CliResult) => stderr.slice(stderr.indexOf("redacted: "));
  const dry = await run("redact", id, "--dry-run");
  expect(table(dry)).toBe(table(await run("redact", id, "-o", join(temporaryFolder(), "copy.jsonl"))));
});

test("a copy has no secret left", async () => {
  const { run, id } = plantCopied(5);
  const folder = temporaryFolder();
  const path = join(folder, "copy.jsonl");
  expect((await run("redact", id, "-o", path)).exitCode).toBe(0);
  const { stdout } = await runCli(["scan", path], { CLAUDE_CONFIG_DIR: folder });
  expect(stdout).toBe("no keys, tokens or passwords found\n");
});

test("a scan finds keys of several lines wherever they stand, in a text file with the line where each begins", async () => {
  const { root, id, plants } = plantSession(6);
  const { stdout } = await runCli(["scan", id, "--json"], { CLAUDE_CONFIG_DIR: root });
  const keys = (JSON.parse(stdout) as Found[]).filter(({ kind }) => kind === "private-key");
  const isText = (place: string) => PLACES[place as PlaceName].takes === "text";
  expect(keys.length).toBeGreaterThanOrEqual(2 * Object.keys(PLACES).filter(isText).length);
  const spilled = plants.filter(({ place }) => place === "spilled output").map(({ text }) => text);
  const lines = `first\n${spilled.join("\n\n")}`.split("\n");
  const begins = lines.flatMap((line, at) => (line.includes("-----BEGIN") ? [at + 1] : []));
  expect(keys.filter(({ path }) => path.endsWith("toolu_spilled.txt")).map(({ line }) => line)).toEqual(begins);
  expect(keys.filter(({ path }) => path.includes("file-history"))).toHaveLength(2);
});
