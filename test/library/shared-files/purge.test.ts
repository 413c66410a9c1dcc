import { appendFileSync, chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPurge, planPurge, undoPurge } from "../../../src/library/shared-files/purge.js";
import { openSharedFiles } from "../../../src/library/shared-files/shared-mentions.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const B = "bbbbbbbb-0000-4000-8000-000000000002";
const PASTE = "df2de52e19c7f98a";

const line = (sessionId: string, timestamp: number, hash?: string) =>
  `${JSON.stringify({
    display: `prompt ${timestamp}`,
    pastedContents: hash === undefined ? {} : { 1: { id: 1, type: "text", contentHash: hash } },
    timestamp,
    project: "/home/dev/shop",
    sessionId,
  })}\n`;
const historyOf = (root: string) => readFileSync(join(root, "history.jsonl"), "utf8");
const purge = (root: string, id = A) => {
  const { purge: plan } = planPurge({ id, root });
  applyPurge(plan);
  return plan;
};

describe("a purge of history.jsonl", () => {
  test("takes out the lines of the session, nothing else, and puts them back in their places", () => {
    const quoted = `${JSON.stringify({ display: `claude --resume ${A}`, timestamp: 3, sessionId: B })}\n`;
    const broken = `{"half ${A}\n`;
    const history = line(B, 1) + line(A, 2) + quoted + line(A, 9) + broken + line(A, 4) + line(B, 5);
    const root = temporaryFolder({ "history.jsonl": history });
    chmodSync(join(root, "history.jsonl"), 0o640);
    const plan = purge(root);
    expect(historyOf(root)).toBe(line(B, 1) + quoted + broken + line(B, 5));
    appendFileSync(join(root, "history.jsonl"), line(B, 6));
    undoPurge(plan);
    expect(historyOf(root)).toBe(history + line(B, 6));
    expect(statSync(join(root, "history.jsonl")).mode & 0o777).toBe(0o640);
    undoPurge(plan);
    expect(historyOf(root)).toBe(history + line(B, 6));
  });

  test("leaves bytes that are no text as they are", () => {
    const odd = Buffer.concat([Buffer.from(line(A, 1)), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(line(A, 2))]);
    const root = temporaryFolder({ "history.jsonl": "" });
    writeFileSync(join(root, "history.jsonl"), odd);
    const plan = purge(root);
    expect(readFileSync(join(root, "history.jsonl"))).toEqual(Buffer.from([0xff, 0xfe, 0x0a]));
    undoPurge(plan);
    expect(readFileSync(join(root, "history.jsonl"))).toEqual(odd);
  });

  test("keeps lines that came between plan and purge", () => {
    const root = temporaryFolder({ "history.jsonl": line(A, 1) });
    const { purge: plan } = planPurge({ id: A, root });
    appendFileSync(join(root, "history.jsonl"), line(A, 2) + line(B, 3));
    applyPurge(plan);
    expect(historyOf(root)).toBe(line(A, 2) + line(B, 3));
  });

  test("is put back by time where the file was changed meanwhile", () => {
    const root = temporaryFolder({ "history.jsonl": line(B, 1) + line(A, 2) + line(B, 3) + line(A, 4) });
    const plan = purge(root);
    writeFileSync(join(root, "history.jsonl"), line(B, 3) + line(B, 7));
    undoPurge(plan);
    expect(historyOf(root)).toBe(line(A, 2) + line(B, 3) + line(A, 4) + line(B, 7));
  });

  test("keeps a link to the file a link", () => {
    const target = join(temporaryFolder({ "real.jsonl": line(A, 1) + line(B, 2) }), "real.jsonl");
    const root = temporaryFolder();
    symlinkSync(target, join(root, "history.jsonl"));
    purge(root);
    expect(readFileSync(target, "utf8")).toBe(line(B, 2));
  });

  test("and its undoing give back every history, whatever was purged and restored in which order", () => {
    const lines = fc.array(fc.tuple(fc.constantFrom(A, B), fc.nat(5)), { maxLength: 12 });
    fc.assert(
      fc.property(lines, fc.boolean(), fc.boolean(), (picks, isTorn, isReversed) => {
        const text = picks.map(([id, time]) => line(id, time)).join("");
        const history = isTorn ? text.slice(0, -1) : text;
        const root = temporaryFolder({ "history.jsonl": history });
        const [first, second] = [purge(root, A), purge(root, B)];
        expect(historyOf(root)).toBe("");
        const order = isReversed ? [second, first] : [first, second];
        for (const plan of order) undoPurge(plan);
        const linesOf = (all: string) => all.split("\n").filter((text) => text !== "");
        expect(linesOf(historyOf(root)).toSorted()).toEqual(linesOf(history).toSorted());
      }),
      runs(50),
    );
  });
});

describe("pasted texts", () => {
  test("go with the last history line that uses them", () => {
    const root = temporaryFolder({
      "history.jsonl":
        line(A, 1, PASTE) + line(B, 2, PASTE) + line(A, 3, "0123456789abcdef") + line(A, 4, "../../../x"),
      [`paste-cache/${PASTE}.txt`]: "shared",
      "paste-cache/0123456789abcdef.txt": "alone",
      "x.txt": "outside",
    });
    expect(planPurge({ id: A, root }).pastes.map(({ path }) => path)).toEqual([
      join(root, "paste-cache", "0123456789abcdef.txt"),
    ]);
  });
});

describe("a purge of .claude.json", () => {
  const state = `{
  "numStartups": 12345678901234567890,
  "projects": {
    "/a": { "lastCost": 1.50, "lastSessionId": "${A}" },
    "/b": {"lastSessionId":"${B}"},
    "/c": {
      "lastSessionId": "${A}",
      "text": "\\"lastSessionId\\": \\"${A}\\""
    },
    "/d": { "lastSessionId" : "${A}" }
  }
}`;
  const purged = `{
  "numStartups": 12345678901234567890,
  "projects": {
    "/a": { "lastCost": 1.50 },
    "/b": {"lastSessionId":"${B}"},
    "/c": {
      "text": "\\"lastSessionId\\": \\"${A}\\""
    },
    "/d": {  }
  }
}`;

  test.each([
    { where: "inside a folder of CLAUDE_CONFIG_DIR", root: "config", file: "config/.claude.json" },
    { where: "beside the .claude of a home", root: ".claude", file: ".claude.json" },
  ])("$where removes the id only, and restores every byte", ({ root, file }) => {
    const home = temporaryFolder({ [file]: state, [`${root}/x`]: "" });
    const path = join(home, file);
    chmodSync(path, 0o600);
    const plan = purge(join(home, root));
    expect(readFileSync(path, "utf8")).toBe(purged);
    undoPurge(plan);
    expect(readFileSync(path, "utf8")).toBe(state);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("is put back where the file was changed meanwhile, and a newer last session stays", () => {
    const root = temporaryFolder({ ".claude.json": state });
    const plan = purge(root);
    const path = join(root, ".claude.json");
    writeFileSync(path, JSON.stringify({ projects: { "/a": { lastSessionId: B }, "/c": { x: 1 }, "/d": {} } }));
    undoPurge(plan);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      projects: { "/a": { lastSessionId: B }, "/c": { lastSessionId: A, x: 1 }, "/d": { lastSessionId: A } },
    });
  });

  test.each(["", "{half", "[]", '{"projects":[]}', '{"projects":{"/a":7}}'])("leaves %j alone", (text) => {
    const root = temporaryFolder({ ".claude.json": text });
    purge(root);
    expect(readFileSync(join(root, ".claude.json"), "utf8")).toBe(text);
  });
});

test("everything that names a session in files of many is told, with what a purge can remove", () => {
  const root = temporaryFolder({
    [`projects/-p/${A}.jsonl`]: `{"type":"user","slug":"calm-blue-fox"}\n`,
    "history.jsonl": line(A, 1, PASTE) + line(A, 2),
    [`paste-cache/${PASTE}.txt`]: "x",
    ".claude.json": JSON.stringify({ projects: { "/a": { lastSessionId: A } } }),
    "backups/.claude.json.backup.1": JSON.stringify({ projects: { "/a": { lastSessionId: A } } }),
    "backups/.claude.json.backup.2": "{}",
    "plans/calm-blue-fox.md": "",
    "plans/other.md": "",
    "jobs/bbbbbbbb/state.json": JSON.stringify({ sessionId: B, forkParentSessionId: A }),
    "jobs/bbbbbbbb/parent-transcript.jsonl": "",
    "teams/t/config.json": JSON.stringify({ leadSessionId: A }),
    "sessions/1.json": JSON.stringify({ sessionId: A }),
    "sessions/1.0a.key": A,
    "daemon/roster.json": A,
  });
  const mentions = openSharedFiles(root).mentionsOf({ id: A, path: join(root, "projects", "-p", `${A}.jsonl`) });
  expect(
    mentions.map(({ kind, path, count, isPurgeable }) => [kind, path.slice(root.length + 1), count, isPurgeable]),
  ).toEqual([
    ["history", "history.jsonl", 2, true],
    ["paste", `paste-cache/${PASTE}.txt`, 1, true],
    ["lastSession", ".claude.json", 1, true],
    ["stateBackup", "backups/.claude.json.backup.1", 1, false],
    ["plan", "plans/calm-blue-fox.md", 1, false],
    ["parentCopy", "jobs/bbbbbbbb/parent-transcript.jsonl", 1, false],
    ["team", "teams/t/config.json", 1, false],
    ["registry", "sessions/1.json", 1, false],
  ]);
  expect(existsSync(join(root, "history.jsonl"))).toBe(true);
});

test("a file whose name is no session id is named by nothing, whatever text holds its name", () => {
  const root = temporaryFolder({
    "projects/-p/a.jsonl": "{}\n",
    "backups/.claude.json.backup.1": "a",
    "teams/t/config.json": "a",
  });
  expect(openSharedFiles(root).mentionsOf({ id: "a", path: join(root, "projects/-p/a.jsonl") })).toEqual([]);
});

test("the folder of a session's own job goes with it, so its copy of a conversation does not stay", () => {
  const root = temporaryFolder({
    [`jobs/${A.slice(0, 8)}/state.json`]: JSON.stringify({ sessionId: A, forkParentSessionId: A }),
    [`jobs/${A.slice(0, 8)}/parent-transcript.jsonl`]: "",
  });
  expect(openSharedFiles(root).mentionsOf({ id: A, path: join(root, `projects/-p/${A}.jsonl`) })).toEqual([]);
});
