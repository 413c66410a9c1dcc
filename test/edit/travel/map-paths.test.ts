import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mappedFile, PathMap } from "../../../src/edit/travel/map-paths.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const OLD_ID = "11111111-1111-4111-8111-111111111111";
const NEW_ID = "22222222-2222-4222-8222-222222222222";
const placeOf = (home: string, slug: string, id: string, project: string) => ({
  path: join(home, ".claude/projects", slug, `${id}.jsonl`),
  folders: { project, home, config: join(home, ".claude") },
});
const FROM = placeOf("/home/ann", "-home-ann-shop", OLD_ID, "/home/ann/shop");
const TO = placeOf("/Users/bob", "-srv-shop", NEW_ID, "/srv/shop");

function mapped(record: object): unknown {
  return JSON.parse(String(new PathMap(FROM, TO).rewrite(Buffer.from(JSON.stringify(record)))));
}

test("paths in the project, in Claude Code's folder and in the home folder follow, each its own folder", () => {
  const files = ["/home/ann/shop/a.ts", "/home/ann/.claude/plans/b.md", "/home/ann/notes.md", "/home/ann2/c", "/etc/d"];
  expect(mapped({ toolUseResult: { filenames: files } })).toEqual({
    toolUseResult: {
      filenames: ["/srv/shop/a.ts", "/Users/bob/.claude/plans/b.md", "/Users/bob/notes.md", "/home/ann2/c", "/etc/d"],
    },
  });
});

test("files below the session's own folder follow its new id, in fields and where output was stored", () => {
  const side = `/home/ann/.claude/projects/-home-ann-shop/${OLD_ID}`;
  const newSide = `/Users/bob/.claude/projects/-srv-shop/${NEW_ID}`;
  const text = (folder: string) => `<persisted-output>\nFull output saved to: ${folder}/tool-results/b1.txt\n`;
  const record = (folder: string) => ({
    outputFile: `${folder}/tool-results/b2.txt`,
    toolUseResult: { transcriptDir: `${folder}/subagents`, persistedOutputPath: `${folder}/tool-results/b1.txt` },
    message: { content: [{ type: "tool_result", content: text(folder) }] },
  });
  expect(mapped(record(side))).toEqual(record(newSide));
});

test("a transcript says how many lines changed, and how many name an old folder in text", () => {
  const path = join(temporaryFolder(), "a.jsonl");
  const lines = [
    { cwd: "/home/ann/shop", message: { content: "no path" } },
    { cwd: "/elsewhere", message: { content: "look into /home/ann/shop/a.ts" } },
    { cwd: "/home/ann/shop", message: { content: "and into\n/home/ann." } },
    { message: { content: "not /mnt/home/ann/shop, nor /home/ann.old, nor /home/anné" } },
  ];
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\nno JSON /home/ann\n`);
  const map = new PathMap(FROM, TO);
  const written = Buffer.concat([...mappedFile(path, map)]).toString("utf8");
  expect(map.counts).toEqual({ rewritten: 2, left: 3 });
  expect(written).toContain('"cwd":"/srv/shop","message":{"content":"and into\\n/home/ann."}}\n');
  expect(written.endsWith("\nno JSON /home/ann\n")).toBe(true);
});

test("mapping there and back gives the same bytes", () => {
  const folder = fc.constantFrom("/home/ann/shop", "/home/ann/.claude", "/home/ann", "/opt");
  const key = fc.constantFrom("cwd", "file_path", "text", "filenames", "path");
  const record = fc.dictionary(
    key,
    fc.tuple(folder, fc.string()).map(([path, rest]) => `${path}/${rest}`),
  );
  fc.assert(
    fc.property(record, (value) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const there = new PathMap(FROM, TO).rewrite(bytes);
      expect(String(new PathMap(TO, FROM).rewrite(there))).toBe(String(bytes));
    }),
    { numRuns: 200 },
  );
});

test("a file of notes is one value", () => {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "agent-a.meta.json");
  writeFileSync(path, '{\n  "worktreePath": "/home/ann/shop/wt"\n}\n');
  expect(String(Buffer.concat([...mappedFile(path, new PathMap(FROM, TO))]))).toBe(
    '{\n  "worktreePath": "/srv/shop/wt"\n}\n',
  );
});
