import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { emptyFacts } from "../../../src/session/facts/facts.js";
import { branchFinder } from "../../../src/session/graph/find-branches.js";
import { linkNodes } from "../../../src/session/graph/link-nodes.js";
import { createSkeleton, type Node, toNode } from "../../../src/session/graph/node.js";
import { answer, call, prompt, type Row, result, toLines } from "../../builders/session-builder.js";

interface Work {
  reads: number;
}

/** The same nodes; every look at one of them is counted. */
function counted(nodes: readonly Node[], work: Work): Node[] {
  return new Proxy([...nodes], {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) work.reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
}

function nodesOf(rows: readonly Row[]): Node[] {
  const timed = rows.map((row, at) => ({ uuid: `u${at}`, timestamp: new Date(at * 1000).toISOString(), ...row }));
  return parseRecords(toLines(timed)).flatMap((record) => toNode(record) ?? []);
}

const SHAPES: readonly (readonly [string, (turns: number) => Row[]])[] = [
  ["turns", (turns) => talk(turns, (at) => (at === 0 ? null : `u${2 * at - 1}`))],
  ["rewound branches", (turns) => talk(turns, (at) => (at === 0 ? null : "u1"))],
  ["late results", lateResults],
];

function talk(turns: number, parentOf: (at: number) => string | null): Row[] {
  return Array.from({ length: turns }, (_, at) => [
    prompt(`p${at}`, { parentUuid: parentOf(at) }),
    answer(`a${at}`, { parentUuid: `u${2 * at}` }),
  ]).flat();
}

/** Results that come after the conversation continued from their call. */
function lateResults(turns: number): Row[] {
  const asked = [prompt("go", { parentUuid: null }), call("c", "Bash", {}, { parentUuid: "u0" })];
  const goesOn = Array.from({ length: turns }, (_, at) => prompt(`p${at}`, { parentUuid: `u${at + 1}` }));
  return [...asked, ...goesOn, ...Array.from({ length: turns }, () => result("c", "late", { parentUuid: "u1" }))];
}

function workOf(rows: readonly Row[]): number {
  const work: Work = { reads: 0 };
  const nodes = counted(nodesOf(rows), work);
  const branches = branchFinder(nodes, linkNodes(nodes), emptyFacts())();
  branches.dead();
  return work.reads;
}

describe("the graph of a large session", () => {
  test.each(SHAPES)("looks at each record a fixed number of times: %s", (_, shape) => {
    const [some, more] = [workOf(shape(500)), workOf(shape(4000))];
    expect(more / some).toBeLessThan(8.5);
  });

  test("knows without a search whether a message still has records", () => {
    const count = 20_000;
    const work: Work = { reads: 0 };
    const nodes = nodesOf([...Array(count).keys()].map((at) => answer(`a${at}`, { parentUuid: null })));
    const watched = nodes.map((node) => ({
      ...node,
      get message() {
        work.reads += 1;
        return node.message;
      },
    }));
    const skeleton = createSkeleton(watched);
    for (const node of nodes) {
      skeleton.replace({ ...node, message: "another" });
      skeleton.hasMessage(String(node.message));
    }
    expect(work.reads).toBeLessThan(10 * count);
  });
});
