import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";
import { edit, FOLDER, fileLibrary, write } from "./file-library.js";
import { tokenOf } from "./planted-library.js";
import { runCli } from "./run-cli.js";

const NAME = `${FOLDER}/src/a.ts`;
const twoTurns = () => fileLibrary([[write(NAME, "one\n")], [edit(NAME, "one", "two", "one\n")]]).path;

describe("a file as of a turn", () => {
  test.each([
    { at: ["--at", "1"], content: "one\n", turn: 1 },
    { at: [], content: "two\n", turn: 2 },
  ])("is printed, and how sure it is: $at", async ({ at, content, turn }) => {
    const { stdout, stderr } = await runCli(["files", twoTurns(), "--restore", "src/a.ts", ...at]);
    expect(stdout).toBe(content);
    expect(stderr).toBe(`${NAME} at the end of turn ${turn}: exact\n`);
  });

  test("says where its gaps are", async () => {
    const { path } = fileLibrary([
      [],
      [edit(NAME, "one", "two", "one\n")],
      [{ name: "Bash", input: { command: "rm src/a.ts" } }],
    ]);
    const before = await runCli(["files", path, "--restore", NAME, "--at", "1"]);
    expect(before.stderr).toContain(
      "reconstructed, with gaps\n  its content at that time is not recorded; this is what turn 2 found\n",
    );
    const after = await runCli(["files", path, "--restore", NAME]);
    expect(after.stderr).toContain("  a command in turn 3 may have removed it\n");
  });

  test("is never masked", async () => {
    const { path } = fileLibrary([[write(NAME, tokenOf("tool data"))]]);
    expect((await runCli(["files", path, "--restore", NAME])).stdout).toBe(tokenOf("tool data"));
  });

  test("is written below a folder, and over a file there only by force", async () => {
    const to = join(temporaryFolder(), "new");
    const args = ["files", twoTurns(), "--restore", "a.ts", "--to", to];
    expect((await runCli(args)).stdout).toBe("");
    expect(readFileSync(join(to, "src/a.ts"), "utf8")).toBe("two\n");
    const again = await runCli([...args, "--at", "1"]);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain("add --force to overwrite it");
    expect((await runCli([...args, "--at", "1", "--force"])).exitCode).toBe(0);
    expect(readFileSync(join(to, "src/a.ts"), "utf8")).toBe("one\n");
  });

  test("replaces the original only by force and by its own name", async () => {
    const project = temporaryFolder({ "src/a.ts": "now\n" });
    const name = join(project, "src/a.ts");
    const { path } = fileLibrary([[write(name, "then\n")]]);
    expect((await runCli(["files", path, "--restore", name])).stdout).toBe("then\n");
    expect(readFileSync(name, "utf8")).toBe("now\n");
    expect((await runCli(["files", path, "--restore", "a.ts", "--force"])).stderr).toContain(`did you mean ${name}?`);
    expect((await runCli(["files", path, "--restore", name, "--force"])).exitCode).toBe(0);
    expect(readFileSync(name, "utf8")).toBe("then\n");
  });

  test("is never written where sessions are read from", async () => {
    const { path, root } = fileLibrary([[write(NAME, "one\n")]]);
    const { exitCode, stderr } = await runCli(["files", path, "--restore", NAME, "--to", join(root, "x")]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("where sessions are read from");
    expect(existsSync(join(root, "x"))).toBe(false);
  });
});

describe("a hostile path", () => {
  test.each(["/a/../../../../x", "../../x", "C:\\..\\..\\x", "/home/dev/shop/..\\..\\x", "//x"])(
    "stays below the folder: %s",
    async (name) => {
      const around = temporaryFolder();
      const { path } = fileLibrary([[write(name, "bad\n")]]);
      const { exitCode } = await runCli(["files", path, "--restore", name, "--to", join(around, "to")]);
      expect(exitCode).toBe(0);
      expect(readdirSync(around)).toEqual(["to"]);
      expect(readdirSync(join(around, "to"), { recursive: true }).some((entry) => String(entry).endsWith("x"))).toBe(
        true,
      );
    },
  );

  test("is refused where a link leads out of the folder", async () => {
    const around = temporaryFolder({ "victim.txt": "mine\n" });
    const to = join(around, "to");
    mkdirSync(to);
    mkdirSync(join(around, "outside"));
    symlinkSync(join(around, "outside"), join(to, "src"));
    symlinkSync(join(around, "victim.txt"), join(to, "b.ts"));
    const { path } = fileLibrary([[write(NAME, "bad\n"), write(`${FOLDER}/b.ts`, "bad\n")]]);
    const runs = [NAME, `${FOLDER}/b.ts`].map((name) =>
      runCli(["files", path, "--restore", name, "--to", to, "--force"]),
    );
    expect((await Promise.all(runs)).map(({ exitCode }) => exitCode)).toEqual([1, 1]);
    expect(readdirSync(join(around, "outside"))).toEqual([]);
    expect(readFileSync(join(around, "victim.txt"), "utf8")).toBe("mine\n");
  });
});

test.each([
  { args: ["--at", "1"], exitCode: 2, says: "--at needs --restore" },
  { args: ["--force"], exitCode: 2, says: "--force needs --restore" },
  { args: ["--restore", "src/a.ts", "--at", "x"], exitCode: 2, says: "--at must be the number of a turn" },
  { args: ["--restore", "src/a.ts", "--at", "9"], exitCode: 1, says: "there is no turn 9" },
  { args: ["--restore", "src/a.ts", "--at", "0"], exitCode: 1, says: "did not exist at the end of turn 0" },
  { args: ["--restore", "none.ts"], exitCode: 1, says: "the session did not touch a file none.ts" },
  { args: ["--restore", "a.ts", "--json"], exitCode: 2, says: "cannot be used with" },
])("$args is refused in one line", async ({ args, exitCode, says }) => {
  const result = await runCli(["files", twoTurns(), ...args]);
  expect(result.exitCode).toBe(exitCode);
  expect(result.stderr).toContain(says);
  expect(result.stdout).toBe("");
});

test("two files with the same end must be told apart", async () => {
  const { path } = fileLibrary([[write(`${FOLDER}/x/a.ts`, "1"), write(`${FOLDER}/y/a.ts`, "2")]]);
  const { exitCode, stderr } = await runCli(["files", path, "--restore", "a.ts"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("several files end in a.ts");
});

test("a file that was there but never shown whole is not made up", async () => {
  const { path } = fileLibrary([[edit(NAME, "one", "two")]]);
  const { exitCode, stderr } = await runCli(["files", path, "--restore", NAME]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("is not known");
});
