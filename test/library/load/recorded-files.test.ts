import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diffPieces } from "../../../src/app/files-diff.js";
import { loadSession } from "../../../src/library/load/load-session.js";
import { fileEventReader, listTouchedFiles } from "../../../src/library/load/touched-files.js";
import { contentAt, foldFile } from "../../../src/session/file-history/fold-file.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";

const EDITING = corpusSessions().filter((name) =>
  /"structuredPatch":\[\{/.test(readFileSync(join(CORPUS, name), "utf8")),
);

/** As a person reads it from the lines: every recorded session that edits at all writes and edits this file. */
const NOTES = `diff --git a/notes.txt b/notes.txt
new file mode 100644
--- /dev/null
+++ b/notes.txt
@@ -0,0 +1,3 @@
+one
+TWO
+three
`;

/** And most of them this one. */
const APP = `diff --git a/src/app.py b/src/app.py
--- a/src/app.py
+++ b/src/app.py
@@ -1,4 +1,4 @@
 def main():
-    print("hi")
+    print("hello")
 
 main()
`;

describe("recorded sessions", () => {
  test("of every client that was recorded edit something", () => {
    expect(EDITING.length).toBeGreaterThanOrEqual(10);
  });

  test.each(corpusSessions())("can all be listed and folded: %s", (name) => {
    const files = listTouchedFiles(loadSession(join(CORPUS, name)));
    const view = { clean: <Value>(value: Value) => value, note: () => undefined };
    expect([...diffPieces(files, view)].length).toBeLessThanOrEqual(files.touches.length);
  });

  test.each(EDITING)("are one exact diff: %s", (name) => {
    const files = listTouchedFiles(loadSession(join(CORPUS, name)));
    const notes: string[] = [];
    const view = { clean: <Value>(value: Value) => value, note: (text: string) => notes.push(text) };
    expect([...diffPieces(files, view)].join("")).toBe(name.startsWith("2.1.326/interactive/") ? NOTES : NOTES + APP);
    expect(notes).toEqual([]);
  });
});

const WITH_BACKUPS = [
  { version: "2.1.45", id: "fb5ea67d-3e1e-4230-b4bf-d30d23f010b0" },
  { version: "2.1.325", id: "611dbd00-3ef7-4482-9f54-be0d7ea83ed8" },
];

describe.each(WITH_BACKUPS)("the files of $id ($version)", ({ version, id }) => {
  const root = join(CORPUS, version, "interactive");
  const transcript = `projects/-home-dev-tproj/${id}.jsonl`;
  const copyOf = (name: string) => readFileSync(join(root, "file-history", id, name), "utf8");

  test("are what the client's copies hold, when the copies are not there", () => {
    const elsewhere = temporaryFolder();
    cpSync(join(root, transcript), join(elsewhere, transcript));
    const files = listTouchedFiles(loadSession(join(elsewhere, transcript)));
    const eventsOf = fileEventReader(files);
    const last = files.session.outline.turns.length;
    expect(contentAt(eventsOf("/home/dev/tproj/notes.txt"), last)).toEqual({
      content: copyOf("4a17c7fa68e2742e@v2"),
      doubts: [],
    });
    expect(foldFile(eventsOf("/home/dev/tproj/src/app.py"))).toEqual({
      before: copyOf("4958ccf3016567b7@v1"),
      after: copyOf("4958ccf3016567b7@v2"),
      changedBefore: [],
      doubts: [],
    });
  });

  test("are seen in the client's copies when they are there", () => {
    const files = listTouchedFiles(loadSession(join(root, transcript)));
    const seen = [...fileEventReader(files)("/home/dev/tproj/src/app.py")].filter(({ kind }) => kind === "seen");
    expect(seen).toMatchObject([
      { content: copyOf("4958ccf3016567b7@v1"), isAtPrompt: false },
      { content: copyOf("4958ccf3016567b7@v2"), isAtPrompt: true },
    ]);
  });
});
