import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chain, prompt, toLines } from "../../builders/session-builder.js";
import { contentsOf, type Machine, machine, makeRepository, onMachine, putSession } from "./bundled.js";

const ID = "33333333-3333-4333-8333-333333333333";
const REMOTE = "git@github.com:acme/shop.git";
const slugOf = (folder: string) => folder.replaceAll(/[^A-Za-z0-9]/g, "-");

/** A machine with a session in `work/shop`, in a repository, and files of it. */
function withSession(words = "look at the shop"): Machine & { readonly project: string; readonly path: string } {
  const own = machine();
  const project = makeRepository(join(own.home, "work/shop"), REMOTE);
  const side = `${ID}/tool-results/b1.txt`;
  const stored = `<persisted-output>\nFull output saved to: ${join(own.root, "projects", slugOf(project), side)}\n`;
  const lines = toLines(chain(prompt(words, { cwd: project }), prompt(stored, { cwd: join(project, "src") })));
  const snapshot = (files: object) =>
    JSON.stringify({ type: "file-history-snapshot", snapshot: { trackedFileBackups: files } });
  const backup = { backupFileName: "0123456789abcdef@v1", realParentDir: project };
  const history = snapshot({
    "a.ts": backup,
    [join(project, "b.ts")]: backup,
    [join(own.home, ".bashrc")]: backup,
    ".git/hooks/x": backup,
  });
  const path = putSession(own, slugOf(project), ID, {
    [`${ID}.jsonl`]: `${lines}${history}\n{"type":"permission-mode","permissionMode":"bypassPermissions","sessionId":"${ID}"}\n`,
    [side]: "much output\n",
    [`file-history/${ID}/0123456789abcdef@v1`]: "before\n",
  });
  return { ...own, project, path };
}

async function bundled(from: Machine, ...options: readonly string[]): Promise<string> {
  const path = join(from.home, "session.tar.gz");
  const { exitCode, stderr } = await onMachine(from, "bundle", ID, "-o", path, "--force", ...options);
  expect([exitCode, exitCode === 0 ? "" : stderr]).toEqual([0, ""]);
  return path;
}

const recordsOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("the project is found by its git remote, and every stored path leads to the new place", async () => {
  const [one, two] = [withSession(), machine()];
  const project = makeRepository(join(two.home, "src/acme-shop"), "https://github.com/Acme/shop");
  const known = toLines(chain(prompt("an older one", { cwd: project })));
  putSession(two, slugOf(project), "x", { "44444444-4444-4444-8444-444444444444.jsonl": known });
  const path = await bundled(one, "--no-redact");
  const { stdout, stderr } = await onMachine(two, "import", path, "--yes");
  const folder = join(two.root, "projects", slugOf(project));
  expect(stderr).toContain(`project  ${project} (by its git remote)`);
  expect(stdout).toContain(`claude --resume ${ID}`);
  const text = readFileSync(join(folder, `${ID}.jsonl`), "utf8");
  expect(text).not.toContain(one.home);
  expect(text).toContain(`saved to: ${join(folder, ID, "tool-results/b1.txt")}`);
  expect(recordsOf(join(folder, `${ID}.jsonl`)).map(({ cwd }) => cwd)).toEqual([
    project,
    join(project, "src"),
    undefined,
  ]);
  expect(readFileSync(join(folder, ID, "tool-results/b1.txt"), "utf8")).toBe("much output\n");
  expect(readFileSync(join(two.root, "file-history", ID, "0123456789abcdef@v1"), "utf8")).toBe("before\n");
});

test("a rewind of an imported session writes in the project only, and nobody else decides what may run", async () => {
  const [one, two] = [withSession(), machine()];
  const path = await bundled(one, "--no-redact");
  await onMachine(two, "import", path, "--project", "/srv/shop", "--yes");
  const records = recordsOf(join(two.root, "projects/-srv-shop", `${ID}.jsonl`));
  expect(Object.keys(records.at(-1).snapshot.trackedFileBackups)).toEqual(["a.ts", "/srv/shop/b.ts"]);
  expect(records.map(({ type }) => type)).not.toContain("permission-mode");
});

test("a bundle tells neither the home folder nor the user, and keeps no secret", async () => {
  const one = withSession("my key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789-ABCDEFGH");
  const content = [...(await contentsOf(await bundled(one))).values()].join("\n");
  expect(content).toContain('"cwd":"{project}"');
  expect(content).not.toContain(one.home);
  expect(content).not.toContain("abcdefghijklmnop");
});

test("--dry-run shows what would be written and writes nothing; without a terminal --yes is needed", async () => {
  const [one, two] = [withSession(), machine()];
  const path = await bundled(one);
  const dry = await onMachine(two, "import", path, "--project", "/srv/shop", "--dry-run", "--json");
  const asked = await onMachine(two, "import", path, "--project", "/srv/shop");
  expect(JSON.parse(dry.stdout)).toMatchObject({
    written: false,
    sessions: [{ id: ID, action: "write", path: join(two.root, "projects/-srv-shop", `${ID}.jsonl`), files: 3 }],
  });
  expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining("there is no terminal to ask on")]);
  expect(readdirSync(two.root)).toEqual([]);
});

test("a session that is here stays, also with more at its end; another one with its id gets a new one, the same each time", async () => {
  const [one, two] = [withSession(), machine()];
  const path = await bundled(one);
  const run = async () => {
    const { stdout } = await onMachine(two, "import", path, "--project", "/srv/shop", "--yes", "--json");
    return JSON.parse(stdout).sessions[0];
  };
  const file = (await run()).path;
  expect(await run()).toMatchObject({ action: "same", id: ID });
  const before = readFileSync(file, "utf8");
  writeFileSync(file, `${before}{"type":"mode","mode":"default"}\n`);
  expect(await run()).toMatchObject({ action: "continued", id: ID });
  writeFileSync(file, before.replace("look at", "look for"));
  const renamed = await run();
  expect(renamed.action).toBe("write");
  expect(renamed.id).not.toBe(ID);
  expect(await run()).toMatchObject({ action: "same", id: renamed.id });
  expect(readFileSync(file, "utf8")).toContain("look for");
  expect(new Set(recordsOf(renamed.path).flatMap(({ sessionId }) => sessionId ?? []))).toEqual(new Set([renamed.id]));
  expect(existsSync(join(two.root, "file-history", renamed.id, "0123456789abcdef@v1"))).toBe(true);
});

test("titles, tags, notes and favourites come along, and what the user wrote here stays", async () => {
  const [one, two, three] = [withSession(), machine(), machine()];
  await onMachine(one, "tag", ID, "billing");
  await onMachine(one, "title", ID, "The shop");
  const path = await bundled(one);
  await onMachine(two, "import", path, "--project", "/srv/shop", "--yes");
  const [listed] = JSON.parse((await onMachine(two, "list", "--json")).stdout);
  expect(listed).toMatchObject({ title: "The shop", tags: ["billing"] });
  expect((await onMachine(three, "import", path)).stderr).toContain("is known here");
});

test("an encrypted bundle needs its passphrase, and tells nothing without", async () => {
  const [one, two] = [withSession("the hidden words"), machine()];
  writeFileSync(join(one.home, "words"), "correct horse\n");
  const path = await bundled(one, "--encrypt", "--passphrase-file", join(one.home, "words"));
  const options = ["import", path, "--project", "/srv/shop", "--yes"];
  expect((await onMachine(two, ...options)).stderr).toContain("no terminal to ask for the passphrase");
  writeFileSync(join(two.home, "words"), "wrong horse\n");
  const wrong = await onMachine(two, ...options, "--passphrase-file", join(two.home, "words"));
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining("the passphrase is wrong")]);
  const right = await onMachine(two, ...options, "--passphrase-file", join(one.home, "words"));
  expect(right.exitCode).toBe(0);
  expect(readFileSync(path).includes("hidden")).toBe(false);
});

test("several folders with the remote are named, and one must be chosen", async () => {
  const [one, two] = [withSession(), machine()];
  for (const name of ["a", "b"]) {
    const project = makeRepository(join(two.home, name), REMOTE);
    const id = `${name.repeat(8)}-4444-4444-8444-444444444444`;
    putSession(two, slugOf(project), id, { [`${id}.jsonl`]: toLines(chain(prompt("x", { cwd: project }))) });
  }
  const { stderr, exitCode } = await onMachine(two, "import", await bundled(one), "--yes");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("several folders have the git remote github.com/acme/shop");
  expect(stderr).toContain(join(two.home, "b"));
});

test("a bundle is a private file that is never written over another one", async () => {
  const one = withSession();
  const path = await bundled(one);
  expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  expect((await onMachine(one, "bundle", ID, "-o", path)).stderr).toContain("already exists");
  expect((await onMachine(one, "bundle", ID, "-o", one.path, "--force")).exitCode).toBe(1);
});
