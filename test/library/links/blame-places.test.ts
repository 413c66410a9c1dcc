import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { blameFile } from "../../../src/library/links/blame-file.js";
import { call, prompt, type Row, result, sessionText, uuidOf } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const OLD = "export const first = 1;\nexport const second = 2;\n";
const ADDED = "export const third = 3;\n";
const NEW = OLD + ADDED;

function wrote(id: string, path: string, before: string | null, after: string): Row[] {
  const noted = { type: before === null ? "create" : "update", filePath: path, content: after, originalFile: before };
  return [
    call(id, "Write", { file_path: path, content: after }),
    { ...result(id, "done"), toolUseResult: { ...noted, structuredPatch: [] } },
  ];
}

function ran(id: string, command: string, cwd: string): Row[] {
  return [
    { ...call(id, "Bash", { command }), cwd },
    { ...result(id, ""), toolUseResult: { stdout: "" } },
  ];
}

/** The turn or `c` (a commit) or `?` of each line. */
async function blamed(file: string, ...rows: readonly Row[]): Promise<string> {
  const root = temporaryFolder({ [`projects/-w/${uuidOf(1)}.jsonl`]: sessionText(...rows) });
  const { lines, turns } = await blameFile(file, root);
  return lines
    .map(({ origin }) => (origin.kind === "turn" ? turns[origin.turn]?.turn : origin.kind === "commit" ? "c" : "?"))
    .join(" ");
}

function repository(): { folder: string; git(at: string, ...args: string[]): void } {
  const folder = join(realpathSync(temporaryFolder()), "shop");
  mkdirSync(folder);
  const git = (at: string, ...args: string[]) => {
    const who = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@b" };
    const when = { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
    execFileSync("git", args, {
      cwd: folder,
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", ...who, ...when },
    });
  };
  git("2025-12-01T00:00:00Z", "init", "-q", "-b", "main");
  return { folder, git };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

test("a file that a command moved is followed where its content was the same", async () => {
  const folder = realpathSync(temporaryFolder());
  const [from, to] = [join(folder, "a.ts"), join(folder, "b.ts")];
  write(to, NEW);
  const moved = ran("m", "mv a.ts b.ts", folder);
  const later = [prompt("and more"), ...wrote("w2", to, OLD, NEW)];
  expect(await blamed(to, prompt("begin"), ...wrote("w1", from, null, OLD), ...moved, ...later)).toBe("1 1 2");
  const unmoved = ran("m", "cat a.ts", folder);
  expect(await blamed(to, prompt("begin"), ...wrote("w1", from, null, OLD), ...unmoved, ...later)).toBe("? ? 2");
});

test("a file that git renamed is followed to the session that wrote it under its former name", async () => {
  const { folder, git } = repository();
  const [from, to] = [join(folder, "src", "a.ts"), join(folder, "lib", "b.ts")];
  write(from, OLD);
  git("2025-12-01T00:00:00Z", "add", ".");
  git("2025-12-01T00:00:00Z", "commit", "-qm", "Begin");
  write(from, NEW);
  git("2026-02-01T00:00:00Z", "commit", "-qam", "Add the second");
  mkdirSync(dirname(to));
  git("2026-02-02T00:00:00Z", "mv", "src/a.ts", "lib/b.ts");
  git("2026-02-02T00:00:00Z", "commit", "-qm", "Move it");
  expect(await blamed(to, prompt("begin"), ...wrote("w1", from, OLD, NEW))).toBe("c c 1");
});

test("what a session wrote in another work tree is its own where it was committed", async () => {
  const { folder, git } = repository();
  const file = join(folder, "a.ts");
  write(file, OLD);
  git("2025-12-01T00:00:00Z", "add", ".");
  git("2025-12-01T00:00:00Z", "commit", "-qm", "Begin");
  const tree = join(dirname(folder), "other");
  git("2025-12-01T00:00:00Z", "worktree", "add", "-q", tree, "-b", "feature");
  write(join(tree, "a.ts"), NEW);
  git("2026-02-01T00:00:00Z", "-C", tree, "commit", "-qam", "Add the second");
  git("2026-02-01T00:00:00Z", "merge", "-q", "--ff-only", "feature");
  const session = [prompt("begin"), ...wrote("w1", join(tree, "a.ts"), OLD, NEW)];
  expect(await blamed(file, ...session)).toBe("c c 1");
  expect(await blamed(file, prompt("begin"), ...wrote("w1", "/elsewhere/a.ts", OLD, NEW))).toBe("c c c");
});

test("a call that a fork copied counts once, in the session that made it", async () => {
  const folder = realpathSync(temporaryFolder());
  const file = join(folder, "a.ts");
  write(file, OLD);
  const rows = [prompt("begin"), ...wrote("w1", file, null, OLD)];
  const copies = rows.map((row) => ({ ...row, forkedFrom: { sessionId: uuidOf(1), messageUuid: "u1" } }));
  const root = temporaryFolder({
    [`projects/-w/${uuidOf(0)}.jsonl`]: sessionText(
      ...copies,
      ...wrote("w2", join(folder, "other", "a.ts"), null, NEW),
    ),
    [`projects/-w/${uuidOf(1)}.jsonl`]: sessionText(...rows),
  });
  const { lines, turns } = await blameFile(file, root);
  const sessions = lines.map(({ origin }) => (origin.kind === "turn" ? turns[origin.turn]?.session.header.id : null));
  expect(sessions).toEqual([uuidOf(1), uuidOf(1)]);
});
