import { statSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findSharedSubagents,
  findSubagentFiles,
  listSessionItems,
} from "../../../src/format/layout/files-of-session.js";
import type { FileProblem } from "../../../src/format/layout/folder-listing.js";
import { runs } from "../../runs.js";
import { temporaryFolder } from "../temporary-folder.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const B = "bbbbbbbb-0000-4000-8000-000000000002";

const row = (sessionId: string, rest: object = {}) =>
  `${JSON.stringify({ parentUuid: null, isSidechain: true, sessionId, ...rest })}\n`;

const idsOf = (project: string, session: string) =>
  findSubagentFiles(join(project, `${session}.jsonl`)).subagents.map(({ agentId }) => agentId);

const claimedBy = (text: string) => {
  const { bySession } = findSharedSubagents(temporaryFolder({ "agent-x.jsonl": text }));
  return [...bySession.keys()];
};

describe("the sub-agents of a session", () => {
  test("are found in every place that some client uses", () => {
    const project = temporaryFolder({
      [`${A}.jsonl`]: "",
      [`${A}/subagents/agent-a1.jsonl`]: row(A),
      [`${A}/subagents/workflows/review/agent-deep.jsonl`]: row(A),
      "agent-flat.jsonl": row(A),
      "agent-other.jsonl": row(B),
      "subagents/agent-level.jsonl": row(A),
      [`${B}/subagents/agent-b1.jsonl`]: row(B),
    });
    const { subagents, problems } = findSubagentFiles(join(project, `${A}.jsonl`));
    expect(subagents.map(({ agentId, place }) => [agentId, place])).toEqual([
      ["a1", "session-folder"],
      ["deep", "session-folder"],
      ["flat", "beside-sessions"],
      ["level", "project-folder"],
    ]);
    expect(problems).toEqual([]);
    expect(idsOf(project, B)).toEqual(["b1", "other"]);
  });

  test("carry path, size, time, inode and their metadata", () => {
    const meta = { agentType: "general-purpose", toolUseId: "toolu_1", spawnDepth: 1 };
    const project = temporaryFolder({
      [`${A}/subagents/agent-a1.jsonl`]: row(A),
      [`${A}/subagents/agent-a1.meta.json`]: JSON.stringify(meta),
    });
    const path = join(project, A, "subagents", "agent-a1.jsonl");
    const { size, mtimeMs, ino } = statSync(path);
    expect(findSubagentFiles(join(project, `${A}.jsonl`)).subagents).toEqual([
      { agentId: "a1", path, place: "session-folder", size, mtimeMs, inode: ino, meta },
    ]);
  });

  test.each(["", "{", "[]", "null", '"text"'])("have no metadata when the file says %j, which is reported", (text) => {
    const project = temporaryFolder({
      [`${A}/subagents/agent-a1.jsonl`]: row(A),
      [`${A}/subagents/agent-a1.meta.json`]: text,
    });
    const { subagents, problems } = findSubagentFiles(join(project, `${A}.jsonl`));
    expect(subagents[0]?.meta).toBeNull();
    expect(problems.map(({ path }) => basename(path))).toEqual(["agent-a1.meta.json"]);
  });

  test("are none where nothing lies", () => {
    expect(findSubagentFiles(join(temporaryFolder(), `${A}.jsonl`))).toEqual({ subagents: [], problems: [] });
  });

  test("are found once although links make a circle and one leads nowhere", () => {
    const project = temporaryFolder({ [`${A}/subagents/agent-a1.jsonl`]: row(A) });
    const folder = join(project, A, "subagents");
    symlinkSync(folder, join(folder, "circle"));
    symlinkSync(join(folder, "missing"), join(folder, "agent-dead.jsonl"));
    const { subagents, problems } = findSubagentFiles(join(project, `${A}.jsonl`));
    expect(subagents.map(({ agentId }) => agentId)).toEqual(["a1"]);
    expect(problems.map(({ path }) => basename(path))).toEqual(["agent-dead.jsonl"]);
  });

  test("can be looked up from one reading of the project folder", () => {
    const project = temporaryFolder({ "agent-flat.jsonl": row(A) });
    const shared = findSharedSubagents(project);
    const lookUp = (id: string) => findSubagentFiles(join(project, `${id}.jsonl`), shared).subagents;
    expect(lookUp(A)).toHaveLength(1);
    expect(lookUp(B)).toEqual([]);
  });
});

describe("the session that a sub-agent's lines name", () => {
  test("is looked for beyond lines that name none", () => {
    expect(claimedBy(`\ngarbage\n{"type":"summary"}\n${row(A)}`)).toEqual([A]);
  });

  test("is not taken from inside a message", () => {
    const message = { content: [{ type: "tool_use", input: { sessionId: B } }, `"sessionId":"${B}"`] };
    expect(claimedBy(`${JSON.stringify({ message, sessionId: A })}\n`)).toEqual([A]);
  });

  test("is found after a long message, and in a line that does not end within the head", () => {
    const long = 'x \\" { '.repeat(40_000);
    expect(claimedBy(`${JSON.stringify({ long, sessionId: A })}\n`)).toEqual([A]);
    expect(claimedBy(JSON.stringify({ sessionId: A, long: "y".repeat(2_000_000) }))).toEqual([A]);
  });

  test("is given up after a bounded head", () => {
    const project = temporaryFolder({
      "agent-x.jsonl": `${JSON.stringify({ long: "y".repeat(1_100_000) })}\n${row(A)}`,
    });
    const { bySession, unclaimed } = findSharedSubagents(project);
    expect(bySession.size).toBe(0);
    expect(unclaimed.map(({ agentId }) => agentId)).toEqual(["x"]);
  });

  test("is found wherever the key stands among other values", () => {
    const rest = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    fc.assert(
      fc.property(rest, rest, (before, after) => {
        const line = { ...before, sessionId: A, ...after, type: { sessionId: B } };
        expect(claimedBy(`${JSON.stringify(line)}\n`)).toEqual([A]);
      }),
      runs(100),
    );
  });
});

describe("what belongs to a session", () => {
  const FILES = {
    [`${A}.jsonl`]: row(A),
    [`${A}/subagents/agent-a1.jsonl`]: row(A),
    [`${A}/subagents/agent-a1.meta.json`]: "{}",
    [`${A}/tool-results/b1.txt`]: "output",
    [`${A}/custom-title.json`]: "{}",
    [`${A}/notes.txt`]: "mine",
    "agent-flat.jsonl": row(A),
    "agent-flat.meta.json": "{}",
    "agent-other.jsonl": row(B),
    [`${B}.jsonl`]: row(B),
  };
  const configRoot = () =>
    temporaryFolder({
      ...Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`projects/-p/${name}`, text])),
      [`file-history/${A}/0123@v1`]: "before",
      [`file-history/${B}/0123@v1`]: "before",
    });
  const sessionIn = (root: string) => join(root, "projects", "-p", `${A}.jsonl`);

  test("is its transcript, sub-agents wherever they are, tool results, title and backups, each with its role and name", () => {
    const items = listSessionItems(sessionIn(configRoot()));
    expect(items.map(({ kind, role, name }) => `${kind} ${role} ${name}`)).toEqual([
      `file transcript ${A}.jsonl`,
      "file subagent subagents/agent-flat.jsonl",
      "file subagentMeta subagents/agent-flat.meta.json",
      "folder other ",
      "file title custom-title.json",
      "file other notes.txt",
      "folder other subagents",
      "file subagent subagents/agent-a1.jsonl",
      "file subagentMeta subagents/agent-a1.meta.json",
      "folder toolResult tool-results",
      "file toolResult tool-results/b1.txt",
      "folder backup ",
      "file backup 0123@v1",
    ]);
  });

  test("is only what is there", () => {
    const folder = temporaryFolder({ [`${A}.jsonl`]: "" });
    expect(listSessionItems(join(folder, `${A}.jsonl`)).map(({ role }) => role)).toEqual(["transcript"]);
    expect(listSessionItems(join(folder, `${B}.jsonl`))).toEqual([]);
  });

  test("has its backups in the configuration folder that is named", () => {
    const [root, other] = [configRoot(), temporaryFolder({ [`file-history/${A}/x@v1`]: "" })];
    const backups = listSessionItems(sessionIn(root), { configRoot: other }).filter(({ role }) => role === "backup");
    expect(backups.map(({ path }) => path)).toEqual([
      join(other, "file-history", A),
      join(other, "file-history", A, "x@v1"),
    ]);
  });

  test("includes links as they are, or what they lead to", () => {
    const root = configRoot();
    const [elsewhere, side] = [temporaryFolder({ "far.txt": "" }), join(root, "projects", "-p", A)];
    symlinkSync(elsewhere, join(side, "tool-results", "folder"));
    symlinkSync(join(elsewhere, "far.txt"), join(side, "tool-results", "link.txt"));
    symlinkSync(side, join(side, "circle"));
    symlinkSync(join(side, "missing"), join(side, "dead"));
    const linked = (links: "keep" | "follow") =>
      listSessionItems(sessionIn(root), { links, problems: [] })
        .filter(({ name }) => /folder|link|circle|dead/.test(name))
        .map(({ kind, name }) => `${kind} ${name}`);
    expect(linked("keep")).toEqual([
      "link circle",
      "link dead",
      "link tool-results/folder",
      "link tool-results/link.txt",
    ]);
    expect(linked("follow")).toEqual([
      "folder tool-results/folder",
      "file tool-results/folder/far.txt",
      "link tool-results/link.txt",
    ]);
  });

  test("notes dead links when it follows them", () => {
    const root = configRoot();
    const dead = join(root, "projects", "-p", A, "dead");
    symlinkSync(join(root, "missing"), dead);
    const problems: FileProblem[] = [];
    listSessionItems(sessionIn(root), { links: "follow", problems });
    expect(problems).toEqual([{ path: dead, reason: "the link leads nowhere" }]);
  });
});
