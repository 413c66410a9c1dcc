import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atomicWrite, atomicWriteChunks } from "../../src/store/atomic-write.js";
import { sweepTemporary } from "../../src/store/temporary.js";
import { finish, startStoreProcess } from "./store-process.js";
import { tempDir } from "./temp-dir.js";
import { NO_HARD_LINKS, withoutHardLinks } from "./without-hard-links.js";

const read = (path: string) => readFileSync(path, "utf8");
const permissions = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function* failingAfter(chunk: string): AsyncGenerator<string> {
  yield chunk;
  throw new Error("source failed");
}

test("a new file is private and has all its content", () => {
  const path = join(tempDir(), "a.json");
  atomicWrite(path, "héllo");
  expect(read(path)).toBe("héllo");
  expect(permissions(path)).toBe("600");
});

test("a replaced file keeps its mode, also one that the umask would cut", () => {
  const path = join(tempDir(), "a.json");
  writeFileSync(path, "a longer old text");
  chmodSync(path, 0o666);
  atomicWrite(path, new TextEncoder().encode("new"));
  expect(read(path)).toBe("new");
  expect(permissions(path)).toBe("666");
});

test("nothing is left beside the target", () => {
  const dir = tempDir();
  atomicWrite(join(dir, "a"), "1");
  atomicWrite(join(dir, "a"), "2");
  atomicWrite(join(dir, "b"), "3", { overwrite: false, durable: false });
  expect(readdirSync(dir).sort()).toEqual(["a", "b"]);
});

test("an existing target is refused where overwriting is not wanted", () => {
  const dir = tempDir();
  atomicWrite(join(dir, "a"), "old");
  expect(() => atomicWrite(join(dir, "a"), "new", { overwrite: false })).toThrow(
    expect.objectContaining({ name: "UserError", code: "exists" }),
  );
  expect(read(join(dir, "a"))).toBe("old");
  expect(readdirSync(dir)).toEqual(["a"]);
});

test("a target that appears while writing is refused too, and untouched", async () => {
  const dir = tempDir();
  async function* chunks(): AsyncGenerator<string> {
    yield "mine";
    writeFileSync(join(dir, "a"), "theirs");
  }
  await expect(atomicWriteChunks(join(dir, "a"), chunks(), { overwrite: false })).rejects.toMatchObject({
    code: "exists",
  });
  expect(read(join(dir, "a"))).toBe("theirs");
  expect(readdirSync(dir)).toEqual(["a"]);
});

test("chunks of text and bytes are written in order", async () => {
  const path = join(tempDir(), "a");
  await atomicWriteChunks(path, ["a\n", new Uint8Array([98, 10]), "c"]);
  expect(read(path)).toBe("a\nb\nc");
});

test("when the content fails half-way, the old file stays and the draft is removed", async () => {
  const dir = tempDir();
  atomicWrite(join(dir, "a"), "old");
  await expect(atomicWriteChunks(join(dir, "a"), failingAfter("new"))).rejects.toThrow("source failed");
  expect(read(join(dir, "a"))).toBe("old");
  expect(readdirSync(dir)).toEqual(["a"]);
});

test("when the target cannot be replaced, the draft is removed", () => {
  const dir = tempDir();
  const outer = join(dir, "folder");
  atomicWrite(join(dir, "x"), "x");
  symlinkSync(dir, outer);
  expect(() => atomicWrite(outer, "text")).toThrow();
  expect(readdirSync(dir).sort()).toEqual(["folder", "x"]);
});

test("a link to a file stays a link, and its target is replaced", () => {
  const dir = tempDir();
  writeFileSync(join(dir, "real"), "old");
  symlinkSync("real", join(dir, "link"));
  atomicWrite(join(dir, "link"), "new");
  expect(readlinkSync(join(dir, "link"))).toBe("real");
  expect(read(join(dir, "real"))).toBe("new");
});

test.each(["EPERM", "ENOTSUP", "ENOSYS", "EMLINK", "EACCES", "EXDEV"])(
  "without hard links (%s) a new file is written whole, and an existing one is never replaced",
  async (code) => {
    const dir = tempDir();
    withoutHardLinks(code);
    atomicWrite(join(dir, "a"), "new", { overwrite: false });
    await atomicWriteChunks(join(dir, "b"), ["many ", "pieces"], { overwrite: false });
    expect([read(join(dir, "a")), read(join(dir, "b"))]).toEqual(["new", "many pieces"]);
    expect(permissions(join(dir, "a"))).toBe("600");
    expect(() => atomicWrite(join(dir, "a"), "newer", { overwrite: false })).toThrow(
      expect.objectContaining({ code: "exists" }),
    );
    const appearing = { overwrite: false, beforeNaming: () => writeFileSync(join(dir, "c"), "theirs") };
    expect(() => atomicWrite(join(dir, "c"), "mine", appearing)).toThrow(expect.objectContaining({ code: "exists" }));
    expect([read(join(dir, "a")), read(join(dir, "c"))]).toEqual(["new", "theirs"]);
    expect(readdirSync(dir).sort()).toEqual(["a", "b", "c"]);
  },
);

test("without hard links, a process killed while the name is reserved leaves nothing after the next sweep", async () => {
  const dir = tempDir();
  const script = `${NO_HARD_LINKS}
    const { renameSync } = fs;
    fs.renameSync = (from, to) => to.endsWith("/a") ? process.kill(process.pid, "SIGKILL") : renameSync(from, to);
    syncBuiltinESMExports();
    const { atomicWrite } = await import(store + "/atomic-write.js");
    atomicWrite(process.env.DIR + "/a", "new", { overwrite: false });
  `;
  expect(await finish(startStoreProcess(script, { DIR: dir }))).toMatchObject({ signal: "SIGKILL" });
  expect(readdirSync(dir)).toHaveLength(2);
  sweepTemporary(dir);
  expect(readdirSync(dir)).toEqual([]);
});
