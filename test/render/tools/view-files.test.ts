import { describe, expect, test } from "vitest";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { madeCall } from "./made-call.js";

const text = (file: object) => ({ type: "text", file });

describe("Read", () => {
  test("an excerpt names its lines and starts at its first line", () => {
    const file = { filePath: "/a.ts", content: "b\nc", startLine: 2, numLines: 2, totalLines: 9 };
    const view = viewTool(madeCall("Read", { file_path: "/a.ts", offset: 2 }, { content: "2\tb", data: text(file) }));
    expect(view).toEqual({
      title: "/a.ts (lines 2-3 of 9)",
      parts: [{ kind: "code", text: "b\nc", language: "typescript", firstLine: 2 }],
    });
  });

  test.each([
    ["arrows", "     7→x\n     8→\n\n<system-reminder>be careful</system-reminder>"],
    ["tabs", "7\tx\n8\t"],
  ])("line numbers with %s are removed if there is no structured result", (_name, content) => {
    const view = viewTool(madeCall("Read", { file_path: "/a.py", offset: 7, limit: 2 }, { content }));
    expect(view).toEqual({
      title: "/a.py (lines 7-8)",
      parts: [{ kind: "code", text: "x\n", language: "python", firstLine: 7 }],
    });
  });

  test.each([
    [{ file_path: "/a.pdf", pages: "3-5" }, "/a.pdf (pages 3-5)"],
    [{ file_path: "/a.c", offset: 40 }, "/a.c (from line 40)"],
    [{ file_path: "/a.c", limit: 10 }, "/a.c (lines 1-10)"],
    [{ file_path: "/a.c" }, "/a.c"],
  ])("%j is titled %s", (input, title) => {
    expect(viewTool(madeCall("Read", input, { content: "PDF file read" })).title).toBe(title);
  });

  test("an unchanged file and an empty file show the text of Claude Code", () => {
    const unchanged = { type: "file_unchanged", file: { filePath: "/a" } };
    const empty = text({ filePath: "/a", content: "", numLines: 0, startLine: 1, totalLines: 0 });
    const said = [{ kind: "text", text: "nothing new" }];
    expect(viewTool(madeCall("Read", {}, { content: "nothing new", data: unchanged })).parts).toEqual(said);
    expect(viewTool(madeCall("Read", {}, { content: "nothing new", data: empty })).parts).toEqual(said);
  });

  test("a notebook is its cells with their output", () => {
    const cells = [
      { cellType: "markdown", source: "# Title", cell_id: "c0" },
      {
        cellType: "code",
        source: ["a = 1\n", "a"],
        language: "python",
        outputs: [{ output_type: "execute_result", text: "1", image: { media_type: "image/png", image_data: "QQ==" } }],
      },
    ];
    const data = { type: "notebook", file: { filePath: "/n.ipynb", cells } };
    expect(viewTool(madeCall("Read", { file_path: "/n.ipynb" }, { content: "<cell>", data })).parts).toEqual([
      { kind: "markdown", text: "# Title", label: "cell c0" },
      { kind: "code", text: "a = 1\na", language: "python", label: "cell" },
      { kind: "code", text: "1", language: null, label: "output" },
      { kind: "image", mediaType: "image/png", base64: "QQ==" },
    ]);
  });
});

describe("Write", () => {
  const input = { file_path: "/a.rs", content: "fn b() {}\n" };

  test("an existing file is a diff", () => {
    const structuredPatch = [{ oldStart: 1, newStart: 1, lines: ["-fn a() {}", "+fn b() {}"] }];
    const data = { type: "update", filePath: "/a.rs", structuredPatch, userModified: true };
    expect(viewTool(madeCall("Write", input, { content: "ok", data }))).toEqual({
      title: "/a.rs (10 bytes)",
      parts: [
        { kind: "diff", path: "/a.rs", language: "rust", hunks: structuredPatch },
        { kind: "text", text: "changed by the user before it was written", label: "note" },
      ],
    });
  });

  test("a denied write shows the intended content", () => {
    const view = viewTool(madeCall("Write", input, { content: "no", data: "User rejected tool use", isError: true }));
    expect(view.parts).toEqual([
      { kind: "code", text: "fn b() {}\n", language: "rust", firstLine: 1 },
      { kind: "text", text: "no", label: "denied by the user", isError: true },
    ]);
  });
});

describe("Edit and MultiEdit", () => {
  test("a replacement without a recorded patch keeps common lines as context", () => {
    const input = { file_path: "/a.go", old_string: "a\nb\nc", new_string: "a\nB\nc", replace_all: true };
    expect(viewTool(madeCall("Edit", input, { content: "ok" }))).toEqual({
      title: "/a.go (edit) (all occurrences)",
      parts: [
        {
          kind: "diff",
          path: "/a.go",
          language: "go",
          hunks: [{ oldStart: 0, newStart: 0, lines: [" a", "-b", "+B", " c"] }],
        },
      ],
    });
  });

  test("every edit of many is a hunk", () => {
    const edits = [
      { old_string: "a", new_string: "" },
      { old_string: "", new_string: "b\n" },
    ];
    expect(viewTool(madeCall("MultiEdit", { file_path: "/a", edits }, { content: "ok" })).parts).toEqual([
      {
        kind: "diff",
        path: "/a",
        language: null,
        hunks: [
          { oldStart: 0, newStart: 0, lines: ["-a"] },
          { oldStart: 0, newStart: 0, lines: ["+b"] },
        ],
      },
    ]);
  });
});

describe("NotebookEdit", () => {
  test("shows the cell's new source", () => {
    const input = { notebook_path: "/n.ipynb", cell_id: "c1", new_source: "x", cell_type: "code", edit_mode: "insert" };
    const data = { new_source: "x", language: "r", cell_id: "c2" };
    expect(viewTool(madeCall("NotebookEdit", input, { content: "ok", data }))).toEqual({
      title: "/n.ipynb (insert cell c2 after c1)",
      parts: [{ kind: "code", text: "x", language: "r" }],
    });
  });

  test("a deleted cell shows only the result text", () => {
    const input = { notebook_path: "/n.ipynb", cell_id: "c1", new_source: "", edit_mode: "delete" };
    expect(viewTool(madeCall("NotebookEdit", input, { content: "Deleted cell c1" }))).toEqual({
      title: "/n.ipynb (delete cell c1)",
      parts: [{ kind: "text", text: "Deleted cell c1" }],
    });
  });
});

describe("Glob and Grep", () => {
  test("files are listed, and a truncated list says so", () => {
    const data = { filenames: ["a.ts", "b.ts"], numFiles: 2, truncated: true };
    expect(viewTool(madeCall("Glob", { pattern: "*.ts", path: "/src" }, { content: "a.ts", data }))).toEqual({
      title: "*.ts in /src",
      parts: [{ kind: "code", text: "a.ts\nb.ts", language: null, label: "2 files, more omitted" }],
    });
  });

  test("no match shows the text of Claude Code", () => {
    const data = { mode: "files_with_matches", filenames: [], numFiles: 0 };
    expect(viewTool(madeCall("Grep", { pattern: "x" }, { content: "No files found", data })).parts).toEqual([
      { kind: "text", text: "No files found" },
    ]);
  });

  test("matching lines keep their places", () => {
    const data = { mode: "content", content: "a.ts:1:x", numLines: 1, appliedLimit: 1 };
    expect(viewTool(madeCall("Grep", { pattern: "x", glob: "*.ts" }, { content: "a.ts:1:x", data }))).toEqual({
      title: "/x/ (*.ts)",
      parts: [{ kind: "code", text: "a.ts:1:x", language: null, label: "1 line, limited to 1" }],
    });
  });

  test("counts are a table, from the structured result or from the text", () => {
    const input = { pattern: "x", output_mode: "count", type: "ts" };
    const content = "C:\\a.ts:12\nb.ts:1\n\nFound 13 total occurrences across 2 files.";
    const table = {
      kind: "table",
      head: ["file", "matches"],
      rows: [
        ["C:\\a.ts", "12"],
        ["b.ts", "1"],
      ],
    };
    expect(viewTool(madeCall("Grep", input, { content })).parts).toEqual([table]);
    const data = { mode: "count", content: "C:\\a.ts:12\nb.ts:1", numMatches: 13 };
    expect(viewTool(madeCall("Grep", input, { content, data })).parts).toEqual([table]);
  });
});
