import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../src/format/record/record.js";
import { branchFinder } from "../../src/session/graph/find-branches.js";
import { linkNodes } from "../../src/session/graph/link-nodes.js";
import type { Node } from "../../src/session/graph/node.js";
import { sumUsage } from "../../src/session/messages/usage.js";
import { type OpenSession, type Outline, openSession, type Snapshot } from "../../src/session/open-session.js";
import { anySession } from "../builders/any-session.js";
import { outlineJson, toJson } from "../builders/outline-json.js";
import { runs } from "../runs.js";

const read = (lines: readonly string[]): LogRecord[] => parseRecords(`${lines.join("\n")}\n`);

function sessionOf(records: Iterable<LogRecord>): OpenSession {
  const session = openSession();
  pushAll(session, records);
  return session;
}

function viewAfterEach(records: readonly LogRecord[]): unknown[] {
  const session = openSession();
  return records.map((record) => {
    session.push(record);
    return toJson(session.view());
  });
}

const woken = (session: OpenSession): OpenSession =>
  openSession(JSON.parse(JSON.stringify(session.snapshot())) as Snapshot);

function pushAll(session: OpenSession, records: Iterable<LogRecord>): void {
  for (const record of records) session.push(record);
}

function readWithPause(records: readonly LogRecord[], pause: number): OpenSession {
  const session = woken(sessionOf(records.slice(0, pause)));
  pushAll(session, records.slice(pause));
  return session;
}

/** Records with uuid may be repeated anywhere later; a side record says something new there, so it stays in place. */
function repeatLines(lines: readonly string[], delays: readonly number[]): string[] {
  const placed = lines.flatMap((line, index) => {
    const delay = line.includes('"uuid"') ? (delays[index % delays.length] ?? 0) : 0;
    return [
      { line, place: index },
      { line, place: index + delay + 0.5 },
    ];
  });
  return placed.sort((a, b) => a.place - b.place).map(({ line }) => line);
}

/** What must not depend on repeated lines. */
function meaning({ totals, turns, deadBranches, preamble, calls, title, activeLeaf }: Outline): unknown {
  return {
    totals: { ...totals, records: undefined },
    turns: turns.map(({ kind, start, nodes, isComplete }) => [
      kind,
      start.uuid,
      nodes.map(({ uuid }) => uuid),
      isComplete,
    ]),
    preamble: preamble.nodes.map(({ uuid }) => uuid),
    deadBranches,
    calls: [...calls],
    title,
    activeLeaf,
  };
}

interface Accounts {
  readonly nodes: readonly Node[]; // of the main chain
  readonly kept: readonly Node[]; // in the preamble, a turn, or a dead branch
}

function account(session: OpenSession): Accounts {
  const { nodes, facts } = session.snapshot();
  const links = linkNodes(nodes);
  const { preamble, turns } = session.view();
  const dead = branchFinder(nodes, links, facts)
    .find()
    .dead()
    .flatMap((branch) => branch.nodes.flatMap((at) => nodes[at] ?? []));
  return {
    nodes: nodes.filter((_, index) => links.isMain(index)),
    kept: [...preamble.nodes, ...turns.flatMap((turn) => turn.nodes), ...dead],
  };
}

/** Tells results that stand behind their call from those that nobody asked for. */
function answersToCalls(session: OpenSession): (result: Node, id: string) => boolean {
  const { nodes, facts } = session.snapshot();
  const active = branchFinder(nodes, linkNodes(nodes), facts)
    .find()
    .active.nodes.flatMap((at) => nodes[at] ?? []);
  const placeOf = (test: (node: Node) => boolean) => active.findIndex(test);
  return ({ uuid }, id) => {
    const call = placeOf((node) => callIds(node).includes(id));
    return call >= 0 && call < placeOf((node) => node.uuid === uuid);
  };
}

const uuidsOf = (nodes: readonly Node[]): (string | undefined)[] => nodes.map(({ uuid }) => uuid).sort();
const partsOf = ({ preamble, turns }: Outline): readonly (readonly Node[])[] => [
  preamble.nodes,
  ...turns.map(({ nodes }) => nodes),
];

/** For each id in how many parts of the session it occurs. */
function spread(parts: readonly (readonly Node[])[], idsOf: (node: Node) => readonly string[]): number[] {
  const sets = parts.map((nodes) => new Set(nodes.flatMap(idsOf)));
  return [...new Set(sets.flatMap((ids) => [...ids]))].map((id) => sets.filter((ids) => ids.has(id)).length);
}

const isOnce = (count: number): boolean => count === 1;
const callIds = ({ calls = [] }: Node): string[] => calls.map(({ id }) => id);
const resultIds = ({ results = [] }: Node): string[] => results.map(({ id }) => id);
const messageKeys = ({ message }: Node): string[] => (message === undefined ? [] : [message]);

describe("any session", () => {
  test("looks after every record as if the file had ended there", () => {
    const property = fc.property(anySession(20), (lines) => {
      const records = read(lines);
      const prefixes = records.map((_, index) => outlineJson(records.slice(0, index + 1)));
      expect(viewAfterEach(records)).toEqual(prefixes);
    });
    fc.assert(property, runs(100));
  });

  test("can be put away as JSON at any point and read on", () => {
    const property = fc.property(anySession(), fc.nat(25), (lines, pause) => {
      const records = read(lines);
      expect(toJson(readWithPause(records, pause).view())).toEqual(outlineJson(records));
    });
    fc.assert(property, runs(200));
  });

  test("gives outlines that do not change while reading goes on", () => {
    const property = fc.property(anySession(), fc.nat(25), (lines, pause) => {
      const records = read(lines);
      const session = sessionOf(records.slice(0, pause));
      const outline = session.view();
      const before = toJson(outline);
      pushAll(session, records.slice(pause));
      expect(toJson(outline)).toEqual(before);
    });
    fc.assert(property, runs(100));
  });

  test("means the same when lines stand in the file twice", () => {
    const property = fc.property(anySession(), fc.array(fc.nat(10), { minLength: 1 }), (lines, delays) => {
      const once = sessionOf(read(lines)).view();
      const twice = sessionOf(read(repeatLines(lines, delays))).view();
      expect(meaning(twice)).toEqual(meaning(once));
      expect(twice.totals.records).toBe(2 * once.totals.records);
    });
    fc.assert(property, runs(200));
  });

  test("keeps every record of the main chain in one place: the preamble, a turn, or a dead branch", () => {
    const property = fc.property(anySession(), (lines) => {
      const { nodes, kept } = account(sessionOf(read(lines)));
      expect(uuidsOf(kept)).toEqual(uuidsOf(nodes));
    });
    fc.assert(property, runs(300));
  });

  test("keeps records of sub-agents out of the turns", () => {
    const property = fc.property(anySession(), (lines) => {
      const outline = sessionOf(read(lines)).view();
      const { nodes } = account(sessionOf(read(lines)));
      const inside = partsOf(outline).flat();
      expect(inside.filter((node) => !nodes.some(({ uuid }) => uuid === node.uuid))).toEqual([]);
      expect(outline.sidechains.length + nodes.length).toBe(sessionOf(read(lines)).snapshot().nodes.length);
    });
    fc.assert(property, runs(200));
  });

  test("numbers its turns from 1 and has each call and each message in one of them", () => {
    const property = fc.property(anySession(), (lines) => {
      const outline = sessionOf(read(lines)).view();
      expect(outline.turns.map(({ index }) => index)).toEqual(outline.turns.map((_, at) => at + 1));
      expect(spread(partsOf(outline), callIds).every(isOnce)).toBe(true);
      expect(spread(partsOf(outline), messageKeys).every(isOnce)).toBe(true);
      expect(outline.totals.turns).toBe(outline.turns.length);
    });
    fc.assert(property, runs(300));
  });

  test("has the result of a call in the turn of the call", () => {
    const property = fc.property(anySession(), (lines) => {
      const session = sessionOf(read(lines));
      const isAnswer = answersToCalls(session);
      const ids = (node: Node) => [...callIds(node), ...resultIds(node).filter((id) => isAnswer(node, id))];
      expect(spread(partsOf(session.view()), ids).every(isOnce)).toBe(true);
    });
    fc.assert(property, runs(300));
  });

  test("spends in its branches and sub-agents what it spends in all", () => {
    const property = fc.property(anySession(), (lines) => {
      const outline = sessionOf(read(lines)).view();
      const usageOf = (nodes: readonly Node[]) => {
        const keys = new Set(nodes.flatMap(messageKeys));
        const counters = [...keys].flatMap((key) => outline.messages.get(key)?.counters ?? []);
        return sumUsage(counters.map(({ input, output }) => ({ ...sumUsage([]), input, output })));
      };
      const alive = sumUsage([usageOf(partsOf(outline).flat()), usageOf(outline.sidechains)]);
      const dead = sumUsage(outline.deadBranches.map(({ usage }) => usage));
      expect(sumUsage([alive, dead])).toEqual(outline.totals.usage);
    });
    fc.assert(property, runs(200));
  });
});
