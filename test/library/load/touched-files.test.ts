import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffPieces } from "../../../src/app/files-diff.js";
import { loadSession } from "../../../src/library/load/load-session.js";
import { fileEventReader, listTouchedFiles, type TouchedFiles } from "../../../src/library/load/touched-files.js";
import { contentAt } from "../../../src/session/file-history/fold-file.js";
import { anyFileStory, type FileStory, type Files, STORY_FOLDER } from "../../builders/file-story.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";

const ID = "3f0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";

function filesOf(lines: readonly string[]): TouchedFiles {
  const name = `projects/-home-dev-shop/${ID}.jsonl`;
  return listTouchedFiles(loadSession(join(temporaryFolder({ [name]: `${lines.join("\n")}\n` }), name)));
}

/** What is told for every file at the end of every turn, beside what it held. */
function compareContents(story: FileStory, files: TouchedFiles): { told: unknown[]; held: unknown[] } {
  const eventsOf = fileEventReader(files);
  const changed = [...new Set(files.touches.map(({ path }) => path))];
  const places = changed.flatMap((path) => story.after.map((_, turn) => ({ path, turn })));
  const told = places.map(({ path, turn }) => ({ path, turn, content: contentAt(eventsOf(path), turn).content }));
  const held = places.map(({ path, turn }) => {
    const content = story.after[turn]?.get(path.slice(STORY_FOLDER.length + 1)) ?? null;
    return { path, turn, content };
  });
  return { told, held };
}

test("a file's content at the end of any turn is what it held then", () => {
  fc.assert(
    fc.property(anyFileStory, (story) => {
      const { told, held } = compareContents(story, filesOf(story.lines));
      expect(told).toEqual(held);
    }),
    runs(60),
  );
});

test("from the first change on, the content is exact", () => {
  fc.assert(
    fc.property(anyFileStory, (story) => {
      const files = filesOf(story.lines);
      const eventsOf = fileEventReader(files);
      const doubts = files.touches.flatMap(({ path, site }) => contentAt(eventsOf(path), site.turn).doubts);
      expect(doubts).toEqual([]);
    }),
    runs(60),
  );
});

function writeFiles(files: Files): string {
  const folder = temporaryFolder();
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test("git applies the diff to what was there before, and what came out is there after", () => {
  fc.assert(
    fc.property(anyFileStory, (story) => {
      const notes: string[] = [];
      const diff = [...diffPieces(filesOf(story.lines), { clean: (value) => value, note: (text) => notes.push(text) })];
      const folder = writeFiles(story.before);
      const input = diff.join("");
      execFileSync("git", ["apply", "--allow-empty", "-"], { cwd: folder, input, stdio: ["pipe", "pipe", "pipe"] });
      const last = story.after.at(-1) ?? new Map();
      const found = [...last.keys()].map((name) => [name, readFileSync(join(folder, name), "utf8")]);
      expect(new Map(found as [string, string][])).toEqual(last);
      expect(notes).toEqual([]);
    }),
    runs(40),
  );
});
