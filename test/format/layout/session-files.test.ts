import { statSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSharedSubagents, findSubagentFiles } from "../../../src/format/layout/session-files.js";
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
