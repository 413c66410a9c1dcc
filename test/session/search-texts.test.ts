import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../src/format/reader/record-reader.js";
import { type SearchText, searchTexts, type TextKind } from "../../src/session/search-texts.js";
import * as build from "../builders/session-builder.js";
import { CORPUS, corpusSessions } from "../oracle/corpus-sessions.js";

const textsOf = (draft: build.Draft) => parseRecords(build.writeLines([draft]).join("\n")).flatMap(searchTexts);
const assistant = (...content: readonly object[]): build.Draft => [
  { type: "assistant", message: { role: "assistant", content } },
];
const call = (name: string, input: object) => assistant({ type: "tool_use", id: "t1", name, input });
const system = (subtype: string, content: string): build.Draft => [{ type: "system", subtype, content }];

test.each<[string, build.Draft, readonly SearchText[]]>([
  ["a prompt", build.prompt("fix it"), [{ kind: "prompt", text: "fix it" }]],
  ["a blank prompt", build.prompt(" \n"), []],
  ["a slash command", build.command("cost"), [{ kind: "command", text: "/cost" }]],
  ["what a command printed", build.commandOutput("$1"), [{ kind: "toolOutput", text: "$1" }]],
  ["a typed shell command", build.prompt("<bash-input>ls -l</bash-input>"), [{ kind: "command", text: "ls -l" }]],
  [
    "what it printed",
    build.prompt("<bash-stdout>out</bash-stdout><bash-stderr>err</bash-stderr>"),
    [{ kind: "toolOutput", text: "out\nerr" }],
  ],
  ["an interruption", build.interrupt(), []],
  [
    "a compaction",
    build.compaction(),
    [{ kind: "context", text: "This session is being continued from a previous conversation" }],
  ],
  ["a prompt from the queue", build.queuedPrompt("also this"), [{ kind: "prompt", text: "also this" }]],
  ["an answer", build.answer("done"), [{ kind: "answer", text: "done" }]],
  ["thinking", assistant({ type: "thinking", thinking: "hm", signature: "abc" }), [{ kind: "thinking", text: "hm" }]],
  [
    "a shell call",
    call("Bash", { command: "ls", description: "List", timeout: 5 }),
    [{ kind: "command", text: "ls\nList\n5", tool: "Bash", toolUseId: "t1" }],
  ],
  [
    "a call with a file",
    call("Edit", { file_path: "/a/b.ts", edits: [{ old: "x", new: "y" }], all: true }),
    [
      { kind: "toolInput", text: "/a/b.ts\nx\ny", tool: "Edit", toolUseId: "t1" },
      { kind: "file", text: "/a/b.ts", tool: "Edit", toolUseId: "t1" },
    ],
  ],
  ["a call that says nothing", call("TodoRead", {}), []],
  ["a result", build.resultFor("t1", "fine"), [{ kind: "toolOutput", text: "fine", toolUseId: "t1" }]],
  [
    "a failed result",
    build.resultFor("t1", "no", true),
    [{ kind: "toolOutput", text: "no", toolUseId: "t1", isError: true }],
  ],
  [
    "an API error",
    [{ ...build.answer("overloaded"), isApiErrorMessage: true }],
    [{ kind: "answer", text: "overloaded", isError: true }],
  ],
  ["a notice", system("informational", "note"), [{ kind: "context", text: "note" }]],
  [
    "a local command",
    system("local_command", "<command-name>/vim</command-name>"),
    [{ kind: "command", text: "/vim" }],
  ],
  [
    "its output",
    system("local_command", "<local-command-stdout>on</local-command-stdout>"),
    [{ kind: "toolOutput", text: "on" }],
  ],
  ["progress", build.progress(), []],
  ["a title", build.title("named"), []],
  ["a type from the future", [{ type: "invented-later", content: "x" }], []],
])("%s", (_, draft, expected) => {
  expect(textsOf(draft)).toEqual(expected);
});

test("a broken line has no text", () => {
  expect(parseRecords('{"type":"user","mess').flatMap(searchTexts)).toEqual([]);
});

describe("in recorded sessions", () => {
  const records = corpusSessions().flatMap((path) => parseRecords(readFileSync(join(CORPUS, path))));
  const texts = records.flatMap(searchTexts);

  test("every kind is met but titles, which belong to the whole session", () => {
    const kinds = new Set(texts.map(({ kind }) => kind));
    const expected: readonly TextKind[] = [
      ...(["answer", "command", "context", "file", "prompt", "thinking", "toolInput", "toolOutput"] as const),
    ];
    expect([...kinds].sort()).toEqual(expected);
  });

  test("no text is blank, and results and calls name their call", () => {
    expect(texts.filter(({ text }) => text.trim() === "")).toEqual([]);
    expect(texts.filter(({ kind, toolUseId }) => (kind === "toolInput" || kind === "file") && !toolUseId)).toEqual([]);
  });

  test("every prompt, answer and result stands in its record", () => {
    const strays = records.flatMap((record) => {
      const raw = JSON.stringify(record);
      const words = (text: string) => JSON.stringify(text.trim().split("\n")[0]?.slice(0, 40)).slice(1, -1);
      return searchTexts(record).filter(({ kind, text }) => kind !== "command" && !raw.includes(words(text)));
    });
    expect(strays).toEqual([]);
  });
});
