import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRecords } from "../../../src/format/reader/record-reader.js";
import { loadSession, parseTranscript } from "../../../src/library/load/load-session.js";
import { describeSession } from "../../../src/session/describe-session.js";
import { answer, chain, prompt, toLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";

const REWOUND = join(CORPUS, "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl");
const DEAD_LEAF = "78073a82-08be-4ebe-a5b4-fd4ea4e49759";

describe("reading turn by turn", () => {
  test.each(corpusSessions())("gives the same as reading everything at once: %s", (name) => {
    const file = join(CORPUS, name);
    const { turns, preamble, totals, warnings } = describeSession([...readRecords(file)]);
    const loaded = loadSession(file);
    expect([...loaded.turns()]).toEqual(turns);
    expect(loaded.preamble()).toEqual(preamble);
    expect(loaded.outline.totals).toEqual(totals);
    expect(loaded.outline.warnings).toEqual(warnings);
  });
});

test("a rewound branch is shown by its leaf, or a beginning of it", () => {
  const branch = loadSession(REWOUND).branch(DEAD_LEAF.slice(0, 6));
  expect(branch.outline.activeLeaf).toBe(DEAD_LEAF);
  expect([...branch.turns(8)].map(({ prompt }) => prompt)).toEqual(["[[plan]] plan it", "[[ask]] ask me"]);
});

test("a branch of a loaded session is what reading along its leaf gives", () => {
  const { turns, branches, totals } = describeSession([...readRecords(REWOUND)], undefined, { leaf: DEAD_LEAF });
  const branch = loadSession(REWOUND).branch(DEAD_LEAF);
  expect([...branch.turns()]).toEqual(turns);
  expect(branch.outline.deadBranches).toEqual(branches.dead);
  expect(branch.outline.totals).toEqual(totals);
});

test("each of hundreds of rewound branches ends with what was said there", { timeout: 20_000 }, () => {
  const tries = Array.from({ length: 200 }, (_, index) => `try ${index}`);
  const rewound = tries.map((words) => prompt(words, { parentUuid: "root", uuid: words }));
  const rows = chain(prompt("go", { uuid: "root" }), ...rewound, answer("done", { parentUuid: "root" }));
  const session = loadSession(join(temporaryFolder({ "s.jsonl": toLines(rows) }), "s.jsonl"));
  const branches = session.outline.deadBranches.map(({ leaf }) => session.branch(leaf ?? ""));
  expect(branches.map(({ outline }) => outline.activeLeaf)).toEqual(tries);
  expect(branches.map(({ outline }) => outline.turns.at(-1)?.start.text)).toEqual(tries);
});

test("a branch that is not there is a clear error that names those that are", () => {
  expect(() => loadSession(REWOUND).branch("ffff")).toThrow(
    expect.objectContaining({ code: "not-found", hint: expect.stringContaining(DEAD_LEAF) }),
  );
});

test("a session that was written a moment ago has an open last turn, an old one has not", () => {
  const file = join(CORPUS, "handwritten/c11_orphan_tool_use.jsonl");
  const { endedAt } = loadSession(file).header;
  const soonAfter = Date.parse(endedAt ?? "") + 1000;
  expect(loadSession(file, { now: soonAfter }).outline.turns.at(-1)?.isComplete).toBe(false);
  expect(loadSession(file).outline.turns.at(-1)?.isComplete).toBe(true);
});

test("a transcript can come from a file, a text or a stream", async () => {
  const chunks = async function* () {
    for (const byte of Buffer.from(text)) yield Buffer.of(byte);
  };
  const text =
    '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","message":{"role":"user","content":"grüß"}}\n';
  const fromText = await parseTranscript({ text });
  const fromStream = await parseTranscript({ stream: chunks() });
  const fromFile = await parseTranscript({ path: REWOUND });
  expect(fromText.turns.map(({ prompt }) => prompt)).toEqual(["grüß"]);
  expect(fromStream).toEqual(fromText);
  expect(fromText.session.id).toBe("s1");
  expect(fromFile.turns).toHaveLength(8);
});

describe("the title in custom-title.json", () => {
  const ID = "aaaaaaaa-0000-4000-8000-000000000001";
  const titleOf = (records: string, sidecarAge: number) => {
    const folder = temporaryFolder({
      [`${ID}.jsonl`]: records,
      [`${ID}/custom-title.json`]: '{"customTitle":"from the side"}',
    });
    const at = Date.UTC(2026, 0, 1) / 1000;
    utimesSync(join(folder, `${ID}.jsonl`), at, at);
    utimesSync(join(folder, ID, "custom-title.json"), at - sidecarAge, at - sidecarAge);
    return loadSession(join(folder, `${ID}.jsonl`)).header.title;
  };
  const record = `${JSON.stringify({ type: "custom-title", customTitle: "from a record", sessionId: ID })}\n`;

  test.each([
    { records: record, sidecarAge: 60, title: "from a record" },
    { records: record, sidecarAge: 0, title: "from a record" },
    { records: record, sidecarAge: -60, title: "from the side" },
    { records: "{}\n", sidecarAge: 60, title: "from the side" },
  ])("counts before a record only when it was written later: $sidecarAge s older gives $title", (one) => {
    expect(titleOf(one.records, one.sidecarAge)).toBe(one.title);
  });
});
