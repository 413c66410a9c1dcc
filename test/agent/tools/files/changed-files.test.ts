import { closeSync, openSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Person } from "../../../../src/agent/chat-options.js";
import { Workspace } from "../../../../src/agent/workspace.js";
import { toPatchHunks } from "../../../../src/format/record/file-changes.js";
import { call, callAll, callsOf } from "../../call-all.js";
import { makePlace, startChat } from "../../chat-world.js";

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a new file is as open as the person wants theirs, and an old one keeps its mode", async () => {
  const place = makePlace({ "run.sh": "#!/bin/sh\n" });
  const made = [
    call("Bash", { command: "umask > mask; chmod 751 run.sh" }),
    call("Write", { file_path: "new.html", content: "<p>" }),
    call("Read", { file_path: "run.sh" }),
    call("Edit", { file_path: "run.sh", old_string: "/bin/sh", new_string: "/bin/bash" }),
  ];
  await callAll(made, {}, place);
  const mask = Number.parseInt(readFileSync(join(place.project, "mask"), "utf8"), 8);
  expect(modeOf(join(place.project, "new.html"))).toBe(0o666 & ~mask);
  expect(modeOf(join(place.project, "run.sh"))).toBe(0o751);
});

test("a file is stale when its bytes changed, whatever its time and size say, and only then", () => {
  const place = makePlace({ "a.txt": "one two\n" });
  const path = join(place.project, "a.txt");
  const workspace = new Workspace(place.project, [], place.home);
  const file = openSync(path, "r");
  onTestFinished(() => closeSync(file));
  utimesSync(path, 1000, 1000);
  workspace.noteSeen(path, file);
  utimesSync(path, 2000, 2000);
  expect(workspace.freshness(path, file)).toBe("fresh");
  writeFileSync(path, "one too\n");
  utimesSync(path, 1000, 1000);
  expect(workspace.freshness(path, file)).toBe("stale");
});

test("a file in another encoding than UTF-8 is not damaged by an edit", async () => {
  const place = makePlace();
  const path = join(place.project, "old.c");
  const latin = Buffer.from("// größer\nint a;\n", "latin1");
  writeFileSync(path, latin);
  const edit = call("Edit", { file_path: "old.c", old_string: "int a;", new_string: "int b;" });
  const world = await callAll([call("Read", { file_path: "old.c" }), edit], {}, place);
  expect(readFileSync(path).equals(latin)).toBe(true);
  expect(callsOf(world)[1]).toMatchObject({ status: "error", result: expect.stringContaining("not in UTF-8") });
});

test("a person who is asked about a change is shown all of it, and in how many places, and is not asked about one that fails", async () => {
  const place = makePlace({ "a.txt": `${"one\n".repeat(10)}${"-\n".repeat(10)}`.repeat(20) });
  const shown: { detail: string | undefined; hunks: number; added: number }[] = [];
  const person: Person = {
    approve: async ({ preview }) => {
      const patch = toPatchHunks(preview?.data);
      const added = patch.flatMap(({ lines }) => lines).filter((line) => line.startsWith("+"));
      shown.push({ detail: preview?.detail, hunks: patch.length, added: added.length });
      return { feedback: "not yet" };
    },
    answer: async () => undefined,
    approvePlan: async () => "no",
  };
  const change = { old_string: "one", new_string: "two" };
  const edits = [
    { ...change, replace_all: true },
    { old_string: "two\ntwo\ntwo", new_string: "2", replace_all: true },
  ];
  const blocks = [
    call("Read", { file_path: "a.txt" }),
    call("Edit", { file_path: "a.txt", ...change, replace_all: true }),
    call("MultiEdit", { file_path: "a.txt", edits }),
    call("Edit", { file_path: "a.txt", ...change }),
    call("Edit", { file_path: "none.txt", ...change, replace_all: true }),
    call("Write", { file_path: "a.txt", content: `new\n${"one\n".repeat(9)}` }),
  ];
  const script = [{ blocks }, { blocks: [{ text: "Done." }] }];
  const world = await startChat(script, { place }, { mode: "default", person });
  await world.send("go");
  expect(shown).toEqual([
    { detail: "changes 200 places in the file", hunks: 20, added: 200 },
    { detail: "changes 260 places in the file", hunks: 20, added: 80 },
    { detail: undefined, hunks: 2, added: 1 },
  ]);
});
