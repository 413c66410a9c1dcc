import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  type Chunk,
  chainDigest,
  decodeSegment,
  encodeSegment,
  type SegmentHeader,
} from "../../../src/library/machines/segment.js";
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
const GOOD = "cccccccc-0000-4000-8000-000000000003";
const OTHER_MACHINE = "0123456789abcdef";
const TRANSCRIPT = `projects/-p/${ID}.jsonl`;

const line = (text: string) =>
  `${JSON.stringify({ type: "user", uuid: text, message: { role: "user", content: text } })}\n`;

/** A hostile machine, whose folder holds what its turnlog wrote, and one that reads it. */
async function attacked(): Promise<{ readonly attacker: Machine; readonly victim: Machine; readonly part: string }> {
  const share = temporaryFolder({ x: "" });
  const [attacker, victim] = [newMachine("attacker", share), newMachine("victim", share)];
  write(join(attacker.root, TRANSCRIPT), line("first"));
  write(join(attacker.root, "projects/-p", `${GOOD}.jsonl`), line("good"));
  await sync(attacker);
  return { attacker, victim, part: partOf(attacker) ?? "" };
}

const segmentsOf = (part: string, id = ID) => readdirSync(join(part, id)).map((name) => join(part, id, name));

/** Writes a segment as a program of one's own would, under the right digest. */
function plant(part: string, bytes: Buffer, number = 2, key = ID): string {
  const digest = createHash("sha256").update(bytes).digest("hex");
  const path = join(part, key, `${String(number).padStart(6, "0")}-${digest}.seg`);
  write(path, bytes);
  return path;
}

async function changed(
  part: string,
  change: (header: SegmentHeader) => Partial<SegmentHeader>,
  text = "planted",
): Promise<Buffer> {
  const { header } = await decodeSegment(readFileSync(segmentsOf(part)[0] ?? ""));
  const content = Buffer.from(text);
  const chunk: Chunk = {
    stream: "side/planted.txt",
    generation: 1,
    offset: 0,
    length: content.length,
    isLast: true,
    before: "",
    after: chainDigest("", content),
    mtimeMs: 0,
  };
  const base = { ...header, number: 2, chunks: [chunk] };
  return encodeSegment({ header: { ...base, ...change(base) }, content });
}

const withChunk = (change: Partial<Chunk>) => (header: SegmentHeader) => ({
  chunks: header.chunks.map((chunk) => ({ ...chunk, ...change })),
});

const NAMES = [
  "side/../../../escaped",
  "side/..",
  "../escaped",
  "/etc/escaped",
  "side//etc/escaped",
  "side/a\\..\\b",
  "side/C:\\escaped",
  "side/a\0b",
  "side/nul",
  "side/CON.txt",
  "side/trailing.",
  "side/a:b",
  `side/${"x".repeat(300)}`,
  `side/${"x/".repeat(600)}x`,
  "settings/settings.json",
  "hooks/x.sh",
  "side",
  "",
  `todos/${GOOD}-agent-x.json`,
  "todos/x.json",
  "side/.x.1-2-3-4-5-6-0123abcd.tmp/../x",
  "__proto__/x",
];

describe("of a hostile folder", () => {
  test.each(NAMES)("a file called %j is refused, and nothing is written outside of the cache", async (stream) => {
    const { attacker, victim, part } = await attacked();
    plant(part, await changed(part, withChunk({ stream })));
    const { exitCode, stdout } = await sync(victim);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("it names a file outside of the session");
    expect([...receivedFrom(victim, attacker).keys()].sort()).toEqual([TRANSCRIPT, `projects/-p/${GOOD}.jsonl`]);
    expect(filesBelow(victim.root)).toEqual(new Map([["projects/-p/x", ""]]));
  });

  test.each<[string, (header: SegmentHeader) => Partial<SegmentHeader>, string]>([
    ["of another machine", () => ({ machine: OTHER_MACHINE }), "another session or machine"],
    ["of another session", () => ({ key: GOOD }), "another session or machine"],
    ["with another number", () => ({ number: 3 }), "another session or machine"],
    [
      "of a project folder that leads elsewhere",
      ({ about }) => ({ about: { ...about, slug: "../../x" } }),
      "no usable name",
    ],
    ["with a project folder of no name", ({ about }) => ({ about: { ...about, slug: "" } }), "no usable name"],
    ["of another version", () => ({ version: 2 as 1 }), "its header is not one of a segment"],
    ["with a negative length", withChunk({ length: -1 }), "its header is not one of a segment"],
    ["with less content than it says", withChunk({ length: 1_000_000 }), "another length than its header says"],
    ["whose bytes are not what its chain says", withChunk({ after: "x" }), "wrong bytes"],
  ])("a segment %s is refused, and the others count", async (_, change, reason) => {
    const { attacker, victim, part } = await attacked();
    plant(part, await changed(part, change));
    const { exitCode, stdout } = await sync(victim);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(reason);
    expect([...receivedFrom(victim, attacker).keys()].sort()).toEqual([TRANSCRIPT, `projects/-p/${GOOD}.jsonl`]);
  });

  test.each([
    ["no segment", Buffer.from("hello")],
    ["nothing", Buffer.alloc(0)],
    ["a bomb", Buffer.concat([Buffer.from("TLSEG1z"), gzipSync(Buffer.alloc(150_000_000))])],
    [
      "a header that is larger than the file",
      Buffer.concat([Buffer.from("TLSEG1p"), Buffer.from([255, 255, 255, 127])]),
    ],
    ["JSON of the wrong kind", Buffer.concat([Buffer.from("TLSEG1p"), Buffer.from([2, 0, 0, 0]), Buffer.from("[]")])],
  ])("a file that holds %s under a right digest is refused", async (_, bytes) => {
    const { attacker, victim, part } = await attacked();
    plant(part, bytes);
    const { exitCode, stdout } = await sync(victim);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/refused from attacker/);
    expect(receivedFrom(victim, attacker).size).toBe(2);
  });

  test("links are not followed: not for machines, sessions or segments", async () => {
    const { attacker, victim, part } = await attacked();
    const elsewhere = temporaryFolder({ secret: "private" });
    const [segment = ""] = segmentsOf(part);
    renameSync(segment, join(elsewhere, basename(segment)));
    symlinkSync(join(elsewhere, basename(segment)), segment);
    symlinkSync(join(part, GOOD), join(part, ID.replace("a", "d")));
    symlinkSync(part, join(dirname(part), OTHER_MACHINE));
    await sync(victim);
    expect([...receivedFrom(victim, attacker).keys()]).toEqual([`projects/-p/${GOOD}.jsonl`]);
  });

  test("odd names, pipes' places and files in the place of folders are passed over", async () => {
    const { attacker, victim, part } = await attacked();
    for (const name of ["not-a-session", `${ID}.zzzzzzzz`, `${ID.toUpperCase()}`, `${GOOD} (conflicted copy)`])
      cpSync(join(part, GOOD), join(part, name), { recursive: true });
    write(join(dirname(part), "machine"), "x");
    write(join(dirname(part), OTHER_MACHINE), "a file");
    mkdirSync(join(part, ID, "000009-folder.seg"));
    const { stdout } = await sync(victim);
    expect(stdout).not.toContain("refused");
    expect(receivedFrom(victim, attacker).size).toBe(2);
  });

  test("a machine without a name, or that calls itself another one, is not taken", async () => {
    const { attacker, victim, part } = await attacked();
    write(join(part, "machine.json"), JSON.stringify({ machine: OTHER_MACHINE, name: "x" }));
    expect((await sync(victim)).stdout).toContain("waiting for 1 file");
    write(join(part, "machine.json"), '{"machine":');
    expect((await sync(victim)).stdout).toContain("waiting for 1 file");
    expect(receivedFrom(victim, attacker).size).toBe(0);
    write(join(part, "machine.json"), JSON.stringify({ machine: basename(part), name: "a\u001b[31m\n\u202eb,c" }));
    const { stdout } = await sync(victim);
    expect(stdout).toContain("a [31m b,c");
    expect(stdout).not.toMatch(/\u001b|\u202e/);
  });

  test("a file in the place of a folder stops only its own session", async () => {
    const { attacker, victim, part } = await attacked();
    plant(part, await changed(part, withChunk({ stream: "side/x" })));
    const under = await changed(part, (header) => ({ number: 3, ...withChunk({ stream: "side/x/y" })(header) }));
    plant(part, under, 3);
    const { exitCode, stdout } = await sync(victim);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("refused from attacker");
    expect(receivedFrom(victim, attacker).get(`projects/-p/${ID}/x`)).toBe("planted");
  });
});

describe("of what has not arrived", () => {
  test("a part waits, and counts when it is complete", async () => {
    const { attacker, victim, part } = await attacked();
    const [segment = ""] = segmentsOf(part);
    const whole = readFileSync(segment);
    truncateSync(segment, 100);
    expect((await sync(victim)).stdout).toContain("waiting for 1 file");
    expect(receivedFrom(victim, attacker).size).toBe(1);
    write(segment, whole);
    expect((await sync(victim)).stdout).not.toContain("waiting");
    expect(receivedFrom(victim, attacker).size).toBe(2);
  });

  test("a later segment waits for an earlier one, and a new generation for the rest of it", async () => {
    const { attacker, victim, part } = await attacked();
    const text = line("x".repeat(1000));
    await sync(victim);
    write(join(attacker.root, TRANSCRIPT), text.repeat(20_000));
    await sync(attacker);
    const [, second = "", third = ""] = segmentsOf(part);
    const aside = temporaryFolder();
    for (const path of [second, third]) renameSync(path, join(aside, basename(path)));
    for (const path of [third, second]) {
      await sync(victim);
      expect(receivedFrom(victim, attacker).get(TRANSCRIPT)).toBe(line("first"));
      renameSync(join(aside, basename(path)), path);
    }
    await sync(victim);
    expect(receivedFrom(victim, attacker).get(TRANSCRIPT)).toBe(text.repeat(20_000));
  });

  test("a copy that is missing in the cache is made again", async () => {
    const { attacker, victim } = await attacked();
    await sync(victim);
    const copy = join(victim.data, "sync");
    const path = readdirSync(copy, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(`${ID}.jsonl`));
    rmSync(join(copy, path ?? ""));
    expect(existsSync(environmentOf(victim)["TURNLOG_DATA_DIR"] ?? "")).toBe(true);
    await sync(victim);
    expect(receivedFrom(victim, attacker).size).toBe(2);
  });
});
