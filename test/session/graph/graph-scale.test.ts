import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { emptyFacts } from "../../../src/session/facts/facts.js";
import { branchFinder } from "../../../src/session/graph/find-branches.js";
import { linkNodes } from "../../../src/session/graph/link-nodes.js";
import { createSkeleton, type Node, toNode } from "../../../src/session/graph/node.js";
import { answer, call, prompt, type Row, result, system, toLines } from "../../builders/session-builder.js";
import { counted, countingIntegers, type Work } from "./counted-arrays.js";

function nodesOf(rows: readonly Row[]): Node[] {
  const timed = rows.map((row, at) => ({ uuid: `u${at}`, timestamp: new Date(at * 1000).toISOString(), ...row }));
  return parseRecords(toLines(timed)).flatMap((record) => toNode(record) ?? []);
}

const SHAPES: readonly (readonly [string, (turns: number) => Row[]])[] = [
  ["turns", (turns) => talk(turns, (at) => (at === 0 ? null : `u${2 * at - 1}`))],
  ["rewound branches", (turns) => talk(turns, (at) => (at === 0 ? null : "u1"))],
  ["late results", lateResults],
  ["partial compactions that name the root", (turns) => partialCompactions(turns, (at) => `u${3 * at + 1}`)],
  [
    "partial compactions that name the root, with the summary last",
    (turns) => partialCompactions(turns, (at) => `u${3 * at + 2}`),
  ],
  ["compactions in circles of their own", (turns) => circles(turns, (at) => `u${3 * at + 2}`)],
  ["compactions in one circle", (turns) => circles(turns, (at) => `u${(3 * at + 5) % (3 * turns)}`)],
];

/** A prompt after the other, and after each one a boundary whose logical parent is the root. */
function partialCompactions(turns: number, anchorOf: (at: number) => string): Row[] {
  const compacted = (at: number) => {
    const anchorUuid = anchorOf(at);
    const preservedMessages = { anchorUuid, uuids: [`u${3 * at + 1}`] };
    const fields = { parentUuid: null, logicalParentUuid: "u0", compactMetadata: { preservedMessages } };
    return [
      prompt(`p${at}`, { parentUuid: `u${3 * at}` }),
      system("compact_boundary", fields),
      prompt("summary", { isCompactSummary: true, parentUuid: `u${3 * at + 2}` }),
    ];
  };
  return [prompt("go", { parentUuid: null }), ...Array.from({ length: turns }, (_, at) => compacted(at)).flat()];
}

/** Boundaries whose logical parent is below them. */
function circles(turns: number, logicalOf: (at: number) => string): Row[] {
  return Array.from({ length: turns }, (_, at) => [
    system("compact_boundary", { parentUuid: null, logicalParentUuid: logicalOf(at), compactMetadata: {} }),
    prompt("summary", { isCompactSummary: true, parentUuid: `u${3 * at}` }),
    answer(`a${at}`, { parentUuid: `u${3 * at + 1}` }),
  ]).flat();
}

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
  countingIntegers(work, () => branchFinder(nodes, linkNodes(nodes), emptyFacts()).find().dead());
  return work.reads;
}

describe("the graph of a large session", () => {
  test.each(SHAPES)("looks at each record a fixed number of times: %s", (_, shape) => {
    const [some, more] = [workOf(shape(500)), workOf(shape(4000))];
    expect(more / some).toBeLessThan(10);
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
