import { expect, test } from "vitest";
import type { ChangesAnswer, LinesAnswer } from "../../../src/server/api/changes.js";
import {
  assistant,
  callBlock,
  type Draft,
  prompt,
  resultFor,
  rowsOf,
  writeLines,
} from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { serveApp } from "../served-app.js";

const ID = "8c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e40";
const FOLDER = "/home/dev/shop";
const CART = `${FOLDER}/src/cart.ts`;
const NUMBERS = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);

function edited(id: string, before: string, from: string, to: string): Draft {
  const input = { file_path: CART, old_string: from, new_string: to };
  return [
    assistant(undefined, [callBlock(id, input, "Edit")], { stopReason: "tool_use" }),
    { ...resultFor(id), toolUseResult: { filePath: CART, originalFile: before, structuredPatch: [] } },
  ];
}

function ran(id: string, command: string, noted: object = {}): Draft {
  return [
    assistant(undefined, [callBlock(id, { command })], { stopReason: "tool_use" }),
    { ...resultFor(id), toolUseResult: { stdout: "", ...noted } },
  ];
}

async function serveStory(drafts: readonly Draft[]) {
  const lines = writeLines(drafts.map((draft) => rowsOf(draft).map((record) => ({ cwd: FOLDER, ...record }))));
  const configDir = temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: `${lines.join("\n")}\n` });
  return serveApp({ configDir });
}

test("the net change of a file is shown, and each hunk names the calls that made it", async () => {
  const start = `${NUMBERS.join("\n")}\n`;
  const next = start.replace("line 2\n", "line two\n");
  const { json } = await serveStory([
    prompt("spell it"),
    edited("e1", start, "line 2\n", "line two\n"),
    prompt("and the others"),
    edited("e2", next, "line 25\n", "line twenty-five\n"),
    edited("e3", next.replace("line 25\n", "line twenty-five\n"), "line two\n", "line II\n"),
  ]);
  const { files } = await json<ChangesAnswer>(`/api/changes?session=${ID}`);
  const [file] = files;
  expect(file).toMatchObject({ name: "src/cart.ts", state: "changed", added: 2, removed: 2, isWhole: true });
  expect(file?.hunks?.map(({ newStart, by }) => [newStart, by.map((at) => file.steps[at]?.callId)])).toEqual([
    [1, ["e1", "e3"]],
    [22, ["e2"]],
  ]);
  expect(file?.steps.map(({ turn, tool }) => [turn, tool])).toEqual([
    [1, "Edit"],
    [2, "Edit"],
    [2, "Edit"],
  ]);
  const around = await json<LinesAnswer>(`/api/changes/lines?session=${ID}&path=${CART}&from=10&to=11`);
  expect(around).toEqual({ from: 10, lines: ["line 10", "line 11"], total: 31 });
});

test("what shell commands changed is shown as far as it is recorded, and the rest is said", async () => {
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] };
  const { json } = await serveStory([
    prompt("format"),
    ran("b1", "npm run format", { bashEditDiff: { files: [{ filePath: CART, hunks: [hunk] }] } }),
    ran("b2", "make all"),
    ran("b3", "rm src/old.ts"),
  ]);
  const { files, shell, perhaps } = await json<ChangesAnswer>(`/api/changes?session=${ID}`);
  expect(files).toMatchObject([{ name: "src/cart.ts", hunks: [{ by: [0] }], steps: [{ callId: "b1", tool: "Bash" }] }]);
  expect(shell).toEqual({ ran: 3, compared: 1 });
  expect(perhaps).toMatchObject([{ kind: "removed", path: `${FOLDER}/src/old.ts`, turn: 1 }]);
});

test("a long diff waits until it is asked for; a file that the session did not change is not found", async () => {
  const long = `${Array.from({ length: 2000 }, (_, at) => `row ${at}`).join("\n")}\n`;
  const { json, get } = await serveStory([
    prompt("write"),
    assistant(undefined, [callBlock("w1", { file_path: CART, content: long }, "Write")], { stopReason: "tool_use" }),
    { ...resultFor("w1"), toolUseResult: { type: "create", filePath: CART, content: long, originalFile: null } },
  ]);
  const all = await json<ChangesAnswer>(`/api/changes?session=${ID}`);
  expect(all.files).toMatchObject([{ state: "added", added: 2000, hunks: null }]);
  const one = await json<ChangesAnswer>(`/api/changes?session=${ID}&path=${CART}`);
  expect(one.files[0]?.hunks?.[0]?.lines).toHaveLength(2000);
  expect((await get(`/api/changes?session=${ID}&path=/etc/passwd`)).status).toBe(404);
});
