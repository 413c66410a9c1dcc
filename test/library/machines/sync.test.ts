import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changeMarks } from "../../../src/store/user-db.js";
import { runFaulty } from "../../cli/faulty-process.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import {
  environmentOf,
  filesBelow,
  type Machine,
  newMachine,
  partOf,
  receivedFrom,
  sync,
  write,
} from "./shared-machines.js";

const ID = "aaaaaaaa-0000-4000-8000-000000000001";
const OTHER = "bbbbbbbb-0000-4000-8000-000000000002";
const SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

const prompt = (text: string, uuid = text) =>
  `${JSON.stringify({ type: "user", uuid, parentUuid: null, cwd: "/home/dev/shop", timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content: text } })}\n`;
const answer = (id: string) =>
  `${JSON.stringify({
    type: "assistant",
    uuid: `of-${id}`,
    parentUuid: null,
    cwd: "/home/dev/shop",
    timestamp: "2026-01-01T00:00:01.000Z",
    message: {
      id,
      role: "assistant",
      model: "claude-sonnet-4-6",
      content: [{ type: "text", text: "done" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1000, output_tokens: 100 },
    },
  })}\n`;

const transcriptOf = ({ root }: Machine, id = ID) => join(root, "projects", "-home-dev-shop", `${id}.jsonl`);
const run = (machine: Machine, ...args: string[]) => runCli(args, environmentOf(machine));
const json = async (machine: Machine, ...args: string[]) =>
  JSON.parse((await run(machine, ...args, "--json")).stdout || "null");

/** Two machines and one folder; the laptop has a session. */
function twoMachines(text = prompt("hello")): readonly [Machine, Machine] {
  const share = temporaryFolder({ "unrelated.txt": "" });
  const [laptop, desktop] = [newMachine("laptop", share), newMachine("desktop", share)];
  write(transcriptOf(laptop), text);
  return [laptop, desktop];
}

async function syncAll(...machines: Machine[]): Promise<void> {
  for (const machine of machines) expect((await sync(machine)).stderr).toBe("");
}

describe("the sessions of another machine", () => {
  test("are listed, shown and searched with its name, with all of their files", async () => {
    const [laptop, desktop] = twoMachines(prompt("a sluggish aardvark"));
    write(join(laptop.root, "projects/-home-dev-shop", ID, "subagents", "agent-a1.jsonl"), prompt("sub"));
    write(join(laptop.root, "projects/-home-dev-shop", ID, "tool-results", "b.txt"), "\0\xffbytes");
    write(join(laptop.root, "projects/-home-dev-shop", ID, "empty.txt"), "");
    write(join(laptop.root, "file-history", ID, "0@v1"), "backup");
    write(join(laptop.root, "projects/-home-dev-shop", "memory", "note.md"), "not of a session");
    await syncAll(laptop, desktop);
    const received = receivedFrom(desktop, laptop);
    expect([...received.keys()]).toEqual([
      `file-history/${ID}/0@v1`,
      `projects/-home-dev-shop/${ID}.jsonl`,
      `projects/-home-dev-shop/${ID}/empty.txt`,
      `projects/-home-dev-shop/${ID}/subagents/agent-a1.jsonl`,
      `projects/-home-dev-shop/${ID}/tool-results/b.txt`,
    ]);
    for (const [path, bytes] of received) expect(readFileSync(join(laptop.root, path), "latin1")).toBe(bytes);
    expect(await json(desktop, "list")).toMatchObject([{ id: ID, source: "laptop" }]);
    expect((await run(desktop, "list", "--source", "laptop")).stdout).toContain(ID.slice(0, 8));
    expect((await run(desktop, "search", "aardvark")).stdout).toContain(ID.slice(0, 8));
    expect((await run(desktop, "show", ID)).stdout).toContain("a sluggish aardvark");
  });

  test("are not sent on: a third machine hears of each once", async () => {
    const [laptop, desktop] = twoMachines();
    const tablet = newMachine("tablet", laptop.share);
    await syncAll(laptop, desktop, tablet, laptop, desktop, tablet);
    expect(receivedFrom(tablet, laptop).size).toBe(1);
    expect(receivedFrom(tablet, desktop).size).toBe(0);
    expect(await json(tablet, "list")).toHaveLength(1);
  });

  test("count once where both machines have them, and are both listed", async () => {
    const [laptop, desktop] = twoMachines(prompt("start") + answer("msg_1"));
    cpSync(join(laptop.root, "projects"), join(desktop.root, "projects"), { recursive: true });
    appendFileSync(transcriptOf(laptop), prompt("here") + answer("msg_2"));
    appendFileSync(transcriptOf(desktop), prompt("there") + answer("msg_3"));
    await syncAll(laptop, desktop, laptop);
    for (const machine of [laptop, desktop]) {
      expect(await json(machine, "list")).toHaveLength(2);
      expect((await json(machine, "stats")).totals.usage.input).toBe(3000);
      const [{ machines }] = await json(machine, "sync", "status");
      expect(machines[0].alsoHere).toEqual({ same: 0, ahead: 0, behind: 0, fork: 1 });
    }
  });

  test("that went on here too are told as forks, and a name is that of the session of this machine", async () => {
    const [laptop, desktop] = twoMachines(prompt("one"));
    write(transcriptOf(desktop), prompt("one") + prompt("here"));
    await syncAll(laptop);
    appendFileSync(transcriptOf(laptop), prompt("there"));
    await syncAll(laptop, desktop);
    const [there] = await json(desktop, "list", "--source", "laptop");
    expect(there).toMatchObject({ id: ID, source: "laptop", alsoHere: "fork" });
    expect((await run(desktop, "list")).stdout).toContain("laptop, forked");
    const lineage = { id: ID, source: ID, relation: "forked", path: there.path, sourcePath: transcriptOf(desktop) };
    expect(await json(desktop, "lineage")).toMatchObject([lineage]);
    expect((await run(desktop, "lineage", ID)).stdout).toContain(`${ID}  on laptop: forked`);
    const { turns } = await json(desktop, "show", ID);
    expect(turns.map(({ prompt: words }: { prompt: string }) => words)).toContain("here");
  });

  test("have the titles, tags and notes of their machine, unless this one has its own", async () => {
    const [laptop, desktop] = twoMachines();
    changeMarks(laptop.data, ID, (marks) => ({ ...marks, title: "From the laptop", tags: ["work"], note: "a note" }));
    await syncAll(laptop, desktop);
    expect(await json(desktop, "list")).toMatchObject([{ title: "From the laptop", tags: ["work"] }]);
    changeMarks(laptop.data, ID, (marks) => ({ ...marks, title: "Changed" }));
    await syncAll(laptop, desktop);
    expect(await json(desktop, "list")).toMatchObject([{ title: "Changed" }]);
    changeMarks(desktop.data, ID, (marks) => ({ ...marks, title: "My own" }));
    await syncAll(laptop, desktop);
    expect(await json(desktop, "list")).toMatchObject([{ title: "My own" }]);
  });

  test("are grouped by git remote, or by path where there is none", async () => {
    const [laptop, desktop] = twoMachines();
    const repository = temporaryFolder({
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/config": '[remote "origin"]\n\turl = git@github.com:Acme/shop.git\n',
    });
    const text = prompt("in a repository").replace("/home/dev/shop", join(repository, "cart"));
    write(transcriptOf(laptop, OTHER), text);
    await syncAll(laptop, desktop);
    const [{ machines }] = await json(desktop, "sync", "status");
    expect(machines[0].projects).toEqual([
      { remote: null, path: "/home/dev/shop", sessions: 1 },
      { remote: "github.com/acme/shop//cart", path: join(repository, "cart"), sessions: 1 },
    ]);
    expect((await run(desktop, "sync", "status")).stdout).toContain("/home/dev/shop (no git remote)");
  });

  test.each([
    { args: ["delete", ID, "--force"], says: "belongs to the machine" },
    { args: ["move", ID, "/home/dev/other", "--force"], says: "only sessions in Claude Code's own folders" },
    { args: ["clone", ID], says: 'cannot write into the source "laptop"' },
    { args: ["chat", "-p", "x", "--resume", ID], says: "belongs to the machine" },
  ])("cannot be changed here: $args", async ({ args, says }) => {
    const [laptop, desktop] = twoMachines();
    await syncAll(laptop, desktop);
    const before = filesBelow(join(desktop.data, "sync"));
    const { exitCode, stderr } = await runCli(args, { ...environmentOf(desktop), ANTHROPIC_API_KEY: "x" });
    expect(stderr).toContain(says);
    expect(exitCode).toBeGreaterThan(0);
    expect(filesBelow(join(desktop.data, "sync"))).toEqual(before);
  });

  test("are spared by a deletion in bulk, and not archived again", async () => {
    const [laptop, desktop] = twoMachines();
    await syncAll(laptop, desktop);
    await run(desktop, "archive", "on");
    expect(await json(desktop, "archive", "list")).toEqual([]);
    const { stdout } = await run(desktop, "delete", "--project", "shop", "--yes", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      sessions: [],
      spared: [{ id: ID, reason: "a session of another machine" }],
    });
    expect(receivedFrom(desktop, laptop).size).toBe(1);
  });
});

test("a session of another machine is brought home with the paths of this one, and resumes from here", async () => {
  const [laptop, desktop] = twoMachines();
  const git = (url: string) => ({ ".git/HEAD": "x", ".git/config": `[remote "origin"]\nurl = ${url}\n` });
  const there = temporaryFolder(git("https://github.com/acme/shop"));
  const here = temporaryFolder(git("git@github.com:acme/shop.git"));
  write(transcriptOf(laptop, OTHER), prompt("hello").replace("/home/dev/shop", there));
  write(transcriptOf(desktop), prompt("known").replace("/home/dev/shop", here));
  await syncAll(laptop, desktop);
  const { stdout, stderr } = await run(desktop, "import", OTHER.slice(0, 8), "--yes");
  expect(stderr).toContain(`${here} (by its git remote)`);
  expect(stdout).toContain(`claude --resume ${OTHER}`);
  const imported = [...filesBelow(desktop.root)].filter(([path]) => path.includes(OTHER));
  expect(imported).toHaveLength(1);
  expect(imported[0]?.[1]).toContain(here);
  expect(imported[0]?.[1]).not.toContain(there);
});

describe("a sync", () => {
  test("with nothing new reads no session and no segment", async () => {
    const [laptop, desktop] = twoMachines(Array.from({ length: 20_000 }, (_, at) => prompt(`line ${at}`)).join(""));
    const bytes = readFileSync(transcriptOf(laptop)).length;
    await syncAll(laptop, desktop, laptop, desktop);
    const read = () => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
    const measured = await Promise.all(
      [laptop, desktop].map(async (machine) => {
        const before = read();
        const { stdout } = await sync(machine);
        return { stdout, bytes: read() - before };
      }),
    );
    expect(bytes).toBeGreaterThan(3_000_000);
    for (const { stdout, bytes: count } of measured) {
      expect(stdout).not.toMatch(/\d sessions?/);
      expect(count).toBeLessThan(100_000);
    }
  });

  test("sends a large session in several segments, and what is appended alone", async () => {
    const line = prompt("x".repeat(900));
    const [laptop, desktop] = twoMachines(line.repeat(20_000));
    await syncAll(laptop, desktop);
    const folder = join(partOf(laptop) ?? "", ID);
    expect(readdirSync(folder).length).toBeGreaterThan(2);
    const before = readdirSync(folder).length;
    appendFileSync(transcriptOf(laptop), line);
    const { stdout } = await sync(laptop, "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ sent: { sessions: 1, segments: 1, bytes: line.length } }]);
    await syncAll(desktop);
    expect(readdirSync(folder)).toHaveLength(before + 1);
    expect([...receivedFrom(desktop, laptop).values()][0]?.length).toBe(line.length * 20_001);
  });

  test("joins the files of a session that was synced very often", async () => {
    const [laptop, desktop] = twoMachines();
    for (let at = 0; at < 70; at++) {
      appendFileSync(transcriptOf(laptop), prompt(`${at}`));
      await sync(laptop);
    }
    await syncAll(desktop);
    expect(readdirSync(join(partOf(laptop) ?? "", ID)).length).toBeLessThan(10);
    expect([...receivedFrom(desktop, laptop).values()]).toEqual([readFileSync(transcriptOf(laptop), "latin1")]);
  });

  test("sends again what was lost from the folder, and after an old backup of the data folder", async () => {
    const [laptop, desktop] = twoMachines();
    await syncAll(laptop);
    const backup = temporaryFolder();
    cpSync(laptop.data, backup, { recursive: true });
    appendFileSync(transcriptOf(laptop), prompt("second"));
    await syncAll(laptop, desktop);
    rmSync(laptop.data, { recursive: true });
    cpSync(backup, laptop.data, { recursive: true });
    appendFileSync(transcriptOf(laptop), prompt("third"));
    await syncAll(laptop, desktop);
    const whole = () => [readFileSync(transcriptOf(laptop), "latin1")];
    expect([...receivedFrom(desktop, laptop).values()]).toEqual(whole());
    const folder = join(partOf(laptop) ?? "", ID);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    appendFileSync(transcriptOf(laptop), prompt("fourth"));
    await syncAll(laptop, desktop);
    expect([...receivedFrom(desktop, laptop).values()]).toEqual(whole());
  });

  test("of a copied computer is recognised on both, nothing is lost, and a new identity ends it", async () => {
    const [laptop, desktop] = twoMachines();
    await syncAll(laptop);
    const copy: Machine = { ...laptop, root: temporaryFolder(), data: temporaryFolder() };
    for (const part of ["root", "data"] as const) cpSync(laptop[part], copy[part], { recursive: true });
    appendFileSync(transcriptOf(laptop), prompt("on the laptop"));
    appendFileSync(transcriptOf(copy), prompt("on the copy"));
    write(transcriptOf(copy, OTHER), prompt("new"));
    expect((await sync(laptop)).stdout).not.toContain("a copy of this computer");
    expect((await sync(copy)).stdout).toContain("a copy of this computer sends as this one");
    expect((await sync(laptop)).stdout).toContain("a copy of this computer sends as this one");
    expect(readFileSync(transcriptOf(copy), "utf8")).toContain("on the copy");
    await run(copy, "sync", "remove", copy.share);
    await sync(copy);
    await sync(laptop);
    await sync(desktop);
    const texts = [...(await json(desktop, "list"))].map(({ path }: { path: string }) => readFileSync(path, "utf8"));
    expect(texts.join("")).toContain("on the laptop");
    expect(texts.join("")).toContain("on the copy");
  });

  test("keeps sessions that were deleted here, and takes back those that are withdrawn", async () => {
    const [laptop, desktop] = twoMachines();
    write(transcriptOf(laptop, OTHER), prompt("other"));
    await syncAll(laptop, desktop);
    rmSync(transcriptOf(laptop));
    await syncAll(laptop, desktop);
    expect(receivedFrom(desktop, laptop).size).toBe(2);
    expect((await run(laptop, "sync", "withdraw", OTHER.slice(0, 8))).stdout).toContain(`withdrew ${OTHER}`);
    await syncAll(laptop, desktop);
    expect([...receivedFrom(desktop, laptop).keys()]).toEqual([`projects/-home-dev-shop/${ID}.jsonl`]);
    const left = filesBelow(join(partOf(laptop) ?? "", OTHER));
    expect(left.size).toBe(1);
    expect(existsSync(transcriptOf(laptop, OTHER))).toBe(true);
  });

  test("forgets a machine, and ends", async () => {
    const [laptop, desktop] = twoMachines();
    await syncAll(laptop, desktop);
    const shared = filesBelow(laptop.share);
    expect((await run(desktop, "sync", "forget", "Laptop")).exitCode).toBe(0);
    await syncAll(desktop);
    expect(await json(desktop, "list")).toEqual([]);
    expect((await run(desktop, "sync", "remove", desktop.share)).exitCode).toBe(0);
    expect(readdirSync(join(desktop.data, "sync"))).toEqual([]);
    expect((await run(desktop, "sync")).stderr).toContain("no folder is synced yet");
    expect(filesBelow(laptop.share)).toEqual(shared);
  });
});

describe("a folder", () => {
  test("that is not there, or was emptied, is one clear line and changes nothing", async () => {
    const [laptop] = twoMachines();
    const away = { ...laptop, share: join(laptop.share, "missing") };
    expect((await sync(away)).stderr).toMatch(/^turnlog: no such folder: .*\n {2}mount the drive/);
    expect(existsSync(away.share)).toBe(false);
    await syncAll(laptop);
    renameSync(join(laptop.share, "turnlog"), join(laptop.share, "elsewhere"));
    const { exitCode, stderr } = await sync(laptop);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("is gone");
    expect(existsSync(join(laptop.share, "turnlog"))).toBe(false);
    expect((await run(laptop, "doctor")).stdout).toContain(laptop.share);
  });

  test("that is full is one clear line, and the next sync goes on", async () => {
    const [laptop, desktop] = twoMachines(prompt("x".repeat(1000)).repeat(100));
    const full = await runFaulty(["sync", laptop.share, "--name", "laptop"], environmentOf(laptop), { fullAt: 25 });
    expect(full.code).toBe(1);
    expect(full.stderr).toMatch(/no space left/);
    expect(full.stderr.trim().split("\n").length).toBeLessThan(4);
    await syncAll(laptop, desktop);
    expect([...receivedFrom(desktop, laptop).values()]).toEqual([readFileSync(transcriptOf(laptop), "latin1")]);
  });
});

describe("what is sent", () => {
  const bytesOf = (machine: Machine) => [...filesBelow(join(machine.share, "turnlog"))].flat().join("\n");

  test("is redacted on request, and what was sent before is removed", async () => {
    const [laptop, desktop] = twoMachines(prompt(`the token is ${SECRET}`));
    write(join(laptop.root, "projects/-home-dev-shop", ID, "tool-results", "b.txt"), `token ${SECRET}`);
    write(join(laptop.root, "projects/-home-dev-shop", ID, "tool-results", "c.bin"), new Uint8Array([0xff, 0xfe, 0]));
    changeMarks(laptop.data, ID, (marks) => ({ ...marks, note: SECRET }));
    await syncAll(laptop, desktop);
    expect([...receivedFrom(desktop, laptop).values()].join("")).toContain(SECRET);
    const before = new Set(filesBelow(laptop.share).keys());
    expect((await sync(laptop, "--redact")).stderr).toBe("");
    appendFileSync(transcriptOf(laptop), `${prompt(`again ${SECRET}`)}${prompt("cut").slice(0, 20)}`);
    await syncAll(laptop, desktop);
    const segments = [...filesBelow(laptop.share).keys()].filter((path) => path.endsWith(".seg"));
    expect(segments.filter((path) => before.has(path))).toEqual([]);
    const received = receivedFrom(desktop, laptop);
    expect([...received.values(), ...filesBelow(desktop.data).values()].join("\n")).not.toContain(SECRET);
    const lines = received.get(`projects/-home-dev-shop/${ID}.jsonl`)?.split("\n") ?? [];
    expect(lines).toHaveLength(3); // the line without an end waits
    expect(lines[1]).toContain("again");
  });

  test("is encrypted on request; another passphrase is refused, and nothing is readable without", async () => {
    const [laptop, desktop] = twoMachines(prompt("plainly readable"));
    await syncAll(laptop, desktop);
    const file = join(temporaryFolder({ right: "correct horse\n", wrong: "battery staple\n" }), "right");
    expect((await sync(laptop, "--passphrase-file", file)).stderr).toBe("");
    expect(bytesOf(laptop)).not.toMatch(/TLSEG1|"name":"laptop"/);
    expect((await sync(desktop)).stdout).toContain("it is encrypted: give the passphrase");
    expect((await sync(desktop, "--passphrase-file", file.replace("right", "wrong"))).stdout).toContain("passphrase");
    expect((await sync(desktop, "--passphrase-file", file)).stderr).toContain("this is not the passphrase");
    await run(desktop, "sync", "remove", desktop.share);
    expect((await sync(desktop, "--passphrase-file", file)).stdout).toContain("from laptop  1 session");
    const asked = await runCli(["sync", laptop.share, "--encrypt"], environmentOf(laptop), { stdin: "x\n" });
    expect(asked.exitCode).toBe(0); // the file that is kept
  });

  test("asks for a passphrase that is not in a file, twice the first time", async () => {
    const [laptop] = twoMachines();
    const ask = (stdin: string) => runCli(["sync", laptop.share, "--encrypt"], environmentOf(laptop), { stdin });
    expect((await ask("one\ntwo\n")).stderr).toContain("the two passphrases differ");
    expect((await ask("one\none\n")).exitCode).toBe(0);
    expect((await ask("two\n")).stderr).toContain("this is not the passphrase");
    expect((await ask("one\n")).exitCode).toBe(0);
    expect([...filesBelow(laptop.data)].flat().join("\n")).not.toContain("one\n");
  });
});

test("two syncs of one machine at the same time do the work once", async () => {
  const [laptop, desktop] = twoMachines();
  const results = await Promise.all([sync(laptop), sync(laptop)]);
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  mkdirSync(desktop.root, { recursive: true });
  await syncAll(desktop);
  expect(readdirSync(join(partOf(laptop) ?? "", ID))).toHaveLength(1);
});
