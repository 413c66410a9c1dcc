import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRecords, readRecords } from "../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../src/format/record/record.js";
import { type Outline, openSession } from "../../src/session/open-session.js";
import {
  answer,
  attachment,
  call,
  command,
  commandOutput,
  prompt,
  type Row,
  result,
  system,
  toLines,
} from "../builders/session-builder.js";
import { CORPUS, corpusSessions } from "../oracle/corpus-sessions.js";
import { runs } from "../runs.js";

/** What each rewound branch has for itself, read as a whole and from the turn on in which it parts. */
function ownTurns(records: Iterable<LogRecord>) {
  const session = openSession();
  for (const record of records) session.push(record);
  const { view, viewEnd } = session.viewer();
  const active = view();
  const shared = new Set([active.preamble, ...active.turns].flatMap(({ nodes }) => nodes));
  const ownOf = ({ turns }: Outline) =>
    turns
      .filter(({ nodes }) => nodes.some((node) => isMessage(node) && !shared.has(node)))
      .map(({ start, nodes, promptParts, ...turn }) => ({
        ...turn,
        start: start.line,
        parts: promptParts.map(({ line }) => line),
        nodes: nodes.map(({ line }) => line),
      }));
  const leaves = active.deadBranches.flatMap(({ leaf }) => leaf ?? []);
  return {
    whole: leaves.map((leaf) => ownOf(view(leaf))),
    end: leaves.map((leaf) => ownOf(viewEnd(leaf))),
  };
}

const isMessage = ({ kind }: { readonly kind: string }) => kind === "user" || kind === "assistant";

const someStep: fc.Arbitrary<(id: string) => Row[]> = fc.constantFrom(
  () => [prompt("go")],
  (id: string) => [answer(`answer ${id}`)],
  (id: string) => [call(id, "Bash", {}), result(id, "done")],
  (id: string) => [call(id, "Bash", {}), result(id, "done"), result(id, "once more")],
  () => [command("cost"), commandOutput("12")],
  () => [command("review")],
  () => [attachment()],
  () => [system("turn_duration", { durationMs: 1 })],
  () => [{ type: "queue-operation", operation: "enqueue", content: "go", uuid: null }],
  () => [{ type: "queue-operation", operation: "remove", content: "go", uuid: null }],
);

/** Every step continues the record before it, or one further up: a rewind. */
const rewoundSession = fc
  .array(fc.tuple(someStep, fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.nat(12) })), {
    minLength: 2,
    maxLength: 40,
  })
  .map((steps) => {
    const rows: Row[] = [];
    const uuids: string[] = [];
    for (const [step, back] of steps) {
      step(`t${rows.length}`).forEach((row, part) => {
        const at = rows.length;
        const parentUuid = uuids.at(part > 0 || back === 0 ? -1 : -back) ?? uuids[0] ?? null;
        rows.push({
          uuid: `u${at}`,
          parentUuid,
          timestamp: new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString(),
          ...row,
        });
        if (row["uuid"] !== null) uuids.push(`u${at}`);
      });
    }
    return rows;
  });

test.each(corpusSessions())("the end of a rewound branch has the same turns as the whole: %s", (name) => {
  const { whole, end } = ownTurns(readRecords(join(CORPUS, name), { abridge: true }));
  expect(end).toEqual(whole);
});

test("the end of a rewound branch has the same turns as the whole, wherever it parts", () => {
  fc.assert(
    fc.property(rewoundSession, (rows) => {
      const { whole, end } = ownTurns(parseRecords(toLines(rows)));
      expect(end).toEqual(whole);
    }),
    runs(1000),
  );
});
