import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Passphrase, seal } from "../../../src/store/sealed-file.js";
import { machine, onMachine } from "./bundled.js";
import { type Draft, draftFile, honest, ID, packed, summed, tarOf } from "./hostile-bundles.js";

const side = (name: string, text = "{}") => honest(draftFile(name, "side", text));
const backup = (name: string) => honest(draftFile(name, "backup", "text"));
const whole = packed(honest());

function told(change: (manifest: Draft["manifest"]) => void): Buffer {
  const draft = honest();
  change(draft.manifest);
  return packed(draft);
}

function first(change: (file: Draft["manifest"]["sessions"][number]["files"][number]) => void): Buffer {
  return told(({ sessions }) => {
    for (const file of sessions[0]?.files.slice(0, 1) ?? []) change(file);
  });
}

function ofSession(fields: object): Buffer {
  return told(({ sessions }) => {
    for (const session of sessions) Object.assign(session, fields);
  });
}

/** The header of the transcript, changed. */
function headed(change: (header: Buffer) => void): Buffer {
  const header = (bytes: Buffer, path: string) => {
    if (path === "manifest.json") return bytes;
    change(bytes);
    return summed(bytes);
  };
  return packed(honest(), { header });
}

const kind = (type: string) => headed((header) => header.write(type, 156, "latin1"));
const named = (name: string) => headed((header) => header.fill(0, 0, 100).write(name, 0, "latin1"));
const zeros = (bytes: number) => honest(draftFile("tool-results/a.txt", "side", "\0".repeat(bytes)));

/** The beginning of one, with the name of a file in it. */
const ZIP = Buffer.from(`PK\u0003\u0004${"\0".repeat(22)}\u0007\0\0\0../../x`, "latin1");

const BUNDLES: readonly (readonly [string, () => Buffer | Promise<Buffer>, string])[] = [
  ["nothing", () => Buffer.alloc(0), "is no bundle"],
  ["text", () => Buffer.from("hello"), "is no bundle"],
  ["gzip of text", () => gzipSync("hello"), "cut off"],
  ["an empty archive", () => gzipSync(Buffer.alloc(1024)), "no manifest"],
  [
    "an archive without a manifest",
    () => gzipSync(tarOf([{ path: "a.txt", content: Buffer.from("a") }])),
    "no manifest",
  ],
  [
    "a manifest that is no JSON",
    () => gzipSync(tarOf([{ path: "manifest.json", content: Buffer.from("{") }])),
    "manifest is wrong",
  ],
  ["a bundle cut in half", () => whole.subarray(0, whole.length / 2), "damaged or cut off"],
  ["a bundle without its last byte", () => whole.subarray(0, -1), "damaged or cut off"],
  ["a flipped bit", () => Buffer.from(whole).fill(0xff, 200, 201), "damaged or cut off"],
  ["garbage after the end", () => Buffer.concat([whole, Buffer.from("garbage")]), "damaged or cut off"],
  ["zeros after the end", () => Buffer.concat([whole, Buffer.alloc(64)]), "something after its end"],
  ["another archive after the end", () => Buffer.concat([whole, whole]), "something after its end"],
  [
    "text behind the end of the archive",
    () => packed(honest(), { end: Buffer.concat([Buffer.alloc(1024), Buffer.alloc(512, "x")]) }),
    "something after its end",
  ],
  ["no end", () => packed(honest(), { end: Buffer.alloc(0) }), "cut off"],
  ["half an end", () => packed(honest(), { end: Buffer.alloc(512) }), "cut off"],
  ["endless zeros at the end", () => packed(honest(), { end: Buffer.alloc(10_000_000) }), "something after its end"],
  ["a hard link", () => kind("1"), "a link"],
  ["a symbolic link", () => kind("2"), "a link"],
  ["a character device", () => kind("3"), "a device"],
  ["a block device", () => kind("4"), "a device"],
  ["a folder", () => kind("5"), "a folder"],
  ["a pipe", () => kind("6"), "a pipe"],
  ["an extended header", () => kind("x"), "no file"],
  ["a long name of GNU tar", () => kind("L"), "no file"],
  ["an absolute path", () => named("/etc/passwd"), "leads elsewhere"],
  ["a path upwards", () => named("../../.bashrc"), "leads elsewhere"],
  ["a path upwards in between", () => named("sessions/../../x"), "leads elsewhere"],
  ["a path of Windows", () => named("C:\\x"), "leads elsewhere"],
  ["a control character in a path", () => named("a\u001b[2Jb"), "leads elsewhere"],
  [
    "a header with a wrong sum",
    () =>
      packed(honest(), { header: (bytes, path) => (path === "manifest.json" ? bytes : bytes.fill(0x31, 148, 154)) }),
    "header is damaged",
  ],
  [
    "a size that is no number",
    () => headed((header) => header.write("zzzzzzzzzzz", 124, "latin1")),
    "header is damaged",
  ],
  ["a size in binary", () => headed((header) => header.fill(0xff, 124, 136)), "header is damaged"],
  [
    "another kind of archive",
    () => headed((header) => header.write("xxxxx", 257, "latin1")),
    "no archive as turnlog writes",
  ],
  [
    "a manifest of 100 MB in its header",
    () =>
      gzipSync(
        tarOf([{ path: "manifest.json", content: Buffer.alloc(0) }], (bytes) =>
          summed(bytes.fill("77777777777", 124, 135)),
        ),
      ),
    "manifest is too large",
  ],
  [
    "a file that the manifest does not name",
    () => packed({ ...honest(), entries: side("tool-results/a.txt").entries }),
    "does not name",
  ],
  ["a file that is missing", () => packed({ ...side("tool-results/a.txt"), entries: honest().entries }), "missing"],
  [
    "files in another order",
    () => packed({ ...side("tool-results/a.txt"), entries: side("tool-results/a.txt").entries.toReversed() }),
    "not those that its manifest names",
  ],
  [
    "a wrong hash",
    () => first((file) => Object.assign(file, { sha256: "0".repeat(64) })),
    "not what its manifest says",
  ],
  ["a wrong size", () => first((file) => Object.assign(file, { size: 1 })), "another size"],
  ["a negative size", () => first((file) => Object.assign(file, { size: -1 })), "manifest is wrong"],
  ["a size beyond all disks", () => first((file) => Object.assign(file, { size: 8 * 1024 ** 3 })), "times its size"],
  ["a bomb", () => packed(zeros(80 * 1024 * 1024)), "times its size"],
  ["another format", () => told((manifest) => Object.assign(manifest, { format: "x" })), "manifest is wrong"],
  ["a later version", () => told((manifest) => Object.assign(manifest, { version: 2 })), "newer turnlog"],
  ["no sessions", () => told((manifest) => Object.assign(manifest, { sessions: [] })), "manifest is wrong"],
  [
    "100,000 sessions",
    () => told((manifest) => Object.assign(manifest, { sessions: Array.from({ length: 100_000 }, () => 0) })),
    "manifest is wrong",
  ],
  ["a session twice", () => told((manifest) => manifest.sessions.push(...manifest.sessions)), "twice"],
  ["an id that leads elsewhere", () => ofSession({ id: "../../x" }), "manifest is wrong"],
  ["an id that is another file's", () => ofSession({ id: ID.replace("1", "2") }), "where none may be"],
  [
    "a session without a transcript",
    () => ofSession({ files: side("tool-results/a.txt").manifest.sessions[0]?.files.slice(1) }),
    "no transcript",
  ],
  ["two transcripts", () => packed(honest(draftFile(`${ID}.jsonl`, "transcript", "{}"))), "one name"],
  ["a side file with a path upwards", () => packed(side("tool-results/../../x")), "where none may be"],
  ["a side file with an absolute name", () => packed(side("/etc/cron.d/x")), "where none may be"],
  ["a side file with a backslash", () => packed(side("tool-results/..\\x")), "where none may be"],
  ["a side file with a NUL", () => packed(side("tool-results/a\0b")), "where none may be"],
  ["a side file with a line break", () => packed(side("tool-results/a\nb")), "where none may be"],
  ["a side file that hides its end", () => packed(side("tool-results/a\u202etxt.exe")), "where none may be"],
  ["a side file with the name of a device", () => packed(side("tool-results/con.txt")), "where none may be"],
  ["a side file with a stream of Windows", () => packed(side("tool-results/a.txt:b")), "where none may be"],
  ["the state of a process", () => packed(side("resume-head.jsonl")), "where none may be"],
  ["a mark that hides the session", () => packed(side("archived.json")), "where none may be"],
  ["a program among the sub-agents", () => packed(side("subagents/run.sh")), "where none may be"],
  ["20 folders in each other", () => packed(side(`tool-results/${"a/".repeat(20)}b`)), "where none may be"],
  ["a backup with a path upwards", () => packed(backup("../x")), "where none may be"],
  ["a backup with another name", () => packed(backup("settings.json")), "where none may be"],
  ["a backup elsewhere", () => packed(honest(draftFile("0123456789abcdef@v1", "home", "text"))), "manifest is wrong"],
  [
    "one name twice",
    () => packed(honest(draftFile("tool-results/a.txt", "side", "1"), draftFile("tool-results/a.txt", "side", "2"))),
    "one name",
  ],
  [
    "names that differ in case",
    () => packed(honest(draftFile("tool-results/a.txt", "side", "1"), draftFile("tool-results/A.txt", "side", "2"))),
    "one name",
  ],
  [
    "names that differ in how accents are written",
    () =>
      packed(
        honest(
          draftFile("tool-results/\u00e9", "side", "1"),
          draftFile("tool-results/e\u0301b".slice(0, -1), "side", "2"),
        ),
      ),
    "one name",
  ],
  [
    "a file that is a folder of another",
    () => packed(honest(draftFile("tool-results/a", "side", "1"), draftFile("tool-results/a/b", "side", "2"))),
    "name of a folder",
  ],
  ["a path of a network share", () => named("\\\\server\\share\\x"), "leads elsewhere"],
  ["a path with a dot for a folder", () => named("sessions/./x"), "leads elsewhere"],
  ["a path that ends in a slash", () => named("sessions/"), "leads elsewhere"],
  ["a path whose end a NUL hides", () => named("manifest.json\0/../../x"), "not those that its manifest names"],
  ["a sparse file", () => kind("S"), "no file"],
  ["a header for all files", () => kind("g"), "no file"],
  ["a folder that is a dump", () => kind("D"), "no file"],
  ["a bundle packed twice", () => gzipSync(whole), "it is no archive as turnlog writes them"],
  ["a zip file with a path upwards", () => ZIP, "is no bundle"],
  [
    "a manifest of 40 MB",
    () => gzipSync(tarOf([{ path: "manifest.json", content: Buffer.alloc(40_000_000, " ") }])),
    "too large",
  ],
  ["a manifest of 200,000 brackets", () => manifestOf("[".repeat(200_000)), "manifest is wrong"],
  [
    "a manifest of 200,000 lists in each other",
    () => manifestOf("[".repeat(200_000) + "]".repeat(200_000)),
    "manifest is wrong",
  ],
  ["a manifest with a name of 1 MB", () => packed(side(`tool-results/${"a".repeat(1_000_000)}`)), "manifest is wrong"],
  [
    "a manifest that changes what all objects have",
    () => manifestOf('{"__proto__":{"format":"turnlog bundle","version":1}}'),
    "manifest is wrong",
  ],
  ["300,000 files", () => ofSession({ files: Array.from({ length: 300_000 }, () => 0) }), "manifest is wrong"],
  ["a plan with a path upwards", () => packed(placed("plan", "../settings.json")), "where none may be"],
  ["a plan that is no text", () => packed(placed("plan", "a-plan.sh")), "where none may be"],
  ["a task with a path upwards", () => packed(placed("tasks", "../1.json")), "where none may be"],
  ["a lock among the tasks", () => packed(placed("tasks", ".lock")), "where none may be"],
  ["todos of another session", () => packed(placed("todos", "x/y.json")), "where none may be"],
  ["prompts under another name", () => packed(placed("prompts", "settings.json")), "where none may be"],
  ["prompts of 40 MB", () => packed(placed("prompts", "history.jsonl", "x".repeat(40_000_000))), "too large"],
  ["an encrypted bundle with a changed byte", async () => changedByte(await sealed(whole)), "damaged"],
  [
    "an encrypted bundle with bytes after its end",
    async () => Buffer.concat([await sealed(whole), Buffer.alloc(9)]),
    "damaged",
  ],
  ["an encrypted bundle that was cut", async () => (await sealed(whole)).subarray(0, -20), "damaged"],
  ["an encrypted bundle for another passphrase", () => sealed(whole, "other"), "passphrase is wrong"],
  ["encrypted garbage", () => sealed(Buffer.from("garbage")), "damaged or cut off"],
];

function placed(place: string, name: string, text = "{}"): Draft {
  return honest(draftFile(name, place, text));
}

function manifestOf(text: string): Buffer {
  return gzipSync(tarOf([{ path: "manifest.json", content: Buffer.from(text) }]));
}

function changedByte(bytes: Buffer): Buffer {
  const at = bytes.length - 40;
  return Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1);
}

async function sealed(bytes: Buffer, passphrase = "secret"): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of seal([bytes], new Passphrase(passphrase, { cost: 14 }))) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function imported(bytes: Buffer) {
  const here = machine();
  const path = join(here.home, "bundle.tar.gz");
  writeFileSync(path, bytes);
  here.env["TURNLOG_PASSPHRASE"] = "secret";
  const result = await onMachine(here, "import", path, "--project", join(here.home, "shop"), "--yes");
  return { here, ...result };
}

test("the honest one is imported", async () => {
  const { exitCode, here } = await imported(packed(side("tool-results/a.txt")));
  expect(exitCode).toBe(0);
  expect(readdirSync(join(here.root, "projects"), { recursive: true }).map(String)).toContainEqual(
    expect.stringMatching(new RegExp(`${ID}\\.jsonl$`)),
  );
});

test("there are at least 40", () => {
  expect(BUNDLES.length).toBeGreaterThanOrEqual(40);
  expect(gunzipSync(whole).length % 512).toBe(0);
});

test.each(BUNDLES)("%s is refused, with one clear line, and nothing is written", async (_name, make, reason) => {
  const { exitCode, stdout, stderr, here } = await imported(await make());
  expect(stderr).toContain(reason);
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
  expect(readdirSync(here.root)).toEqual([]);
  expect(existsSync(join(here.home, "shop"))).toBe(false);
});
