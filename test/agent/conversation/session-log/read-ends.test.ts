import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readHistory } from "../../../../src/agent/conversation/session-log/history.js";
import { BEGINNING_SHARE, readEnds } from "../../../../src/agent/conversation/session-log/long-history.js";
import type { ApiMessage } from "../../../../src/format/record/api-message.js";
import { runs } from "../../../runs.js";
import { makePlace } from "../../chat-world.js";

const MAX_BYTES = 20_000;

type Event =
  | { readonly kind: "turn"; readonly calls: number; readonly bytes: number }
  | { readonly kind: "rewind"; readonly turns: number }
  | { readonly kind: "compaction" }
  | { readonly kind: "hint"; readonly isNamed: boolean }
  | { readonly kind: "agent" }
  | { readonly kind: "beside" };

/** Lines as the real client writes them, with the parent first. */
class Script {
  readonly lines: string[] = [];
  readonly #ends: string[] = [];
  #leaf: string | null = null;
  #count = 0;

  add(event: Event): void {
    switch (event.kind) {
      case "turn":
        this.#turn(event.calls, event.bytes);
        break;
      case "rewind":
        this.#leaf = this.#ends.at(-1 - event.turns) ?? this.#leaf;
        break;
      case "compaction":
        this.#compaction();
        break;
      case "hint":
        this.#beside({ type: "last-prompt", leafUuid: event.isNamed ? (this.#leaf ?? undefined) : undefined });
        break;
      case "agent":
        this.#line("user", { message: { role: "user", content: "find it" } }, this.#leaf, true);
        break;
      case "beside":
        this.#beside({ type: "file-history-snapshot", snapshot: { text: "s".repeat(300) } });
        break;
    }
  }

  #turn(calls: number, bytes: number): void {
    const number = this.#count;
    this.#say("user", `ask ${number}`);
    const ids = Array.from({ length: calls }, (_, at) => `toolu_${number}_${at}`);
    const message = `msg_${number}`;
    const callUuids = ids.map((id) =>
      this.#answer(message, { type: "tool_use", id, name: "Bash", input: { command: id } }),
    );
    ids.forEach((id, at) => {
      const content = [{ tool_use_id: id, type: "tool_result", content: `${id} ${"r".repeat(bytes)}` }];
      this.#leaf = this.#line("user", { message: { role: "user", content } }, callUuids[at] ?? null);
    });
    this.#answer(`${message}_end`, { type: "text", text: `done ${number} ${"x".repeat(bytes)}` });
    if (this.#leaf !== null) this.#ends.push(this.#leaf);
  }

  #say(type: "user", content: string): void {
    this.#leaf = this.#line(type, { message: { role: "user", content } }, this.#leaf);
  }

  #answer(id: string, block: object): string {
    const message = { id, role: "assistant", model: "claude-opus-5-5", content: [block], stop_reason: "end_turn" };
    this.#leaf = this.#line("assistant", { message }, this.#leaf);
    return this.#leaf;
  }

  #compaction(): void {
    const logicalParentUuid = this.#leaf;
    const fields = {
      subtype: "compact_boundary",
      logicalParentUuid,
      compactMetadata: { trigger: "auto", preTokens: 9 },
    };
    this.#leaf = this.#line("system", fields, null);
    const message = { role: "user", content: `summary ${this.#count}` };
    this.#leaf = this.#line("user", { message, isCompactSummary: true }, this.#leaf);
  }

  #line(type: string, fields: object, parentUuid: string | null, isSidechain = false): string {
    this.#count += 1;
    const uuid = `00000000-0000-4000-8000-${String(this.#count).padStart(12, "0")}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + this.#count * 1000).toISOString();
    this.lines.push(JSON.stringify({ parentUuid, isSidechain, ...fields, type, uuid, timestamp }));
    return uuid;
  }

  #beside(fields: object): void {
    this.lines.push(JSON.stringify(fields));
  }
}

function write(events: readonly Event[]): string {
  const script = new Script();
  for (const event of events) script.add(event);
  const path = join(makePlace().project, "session.jsonl");
  writeFileSync(path, `${script.lines.join("\n")}\n`);
  return path;
}

const turns = (count: number, calls = 2, bytes = 200): Event[] =>
  Array.from({ length: count }, () => ({ kind: "turn", calls, bytes }));
const ends = (path: string) => readEnds(path, MAX_BYTES * BEGINNING_SHARE, MAX_BYTES * (1 - BEGINNING_SHARE));
/** Without the line feeds that part texts of one message. */
const blocksOf = (messages: readonly ApiMessage[]) =>
  messages.flatMap(({ role, content }) =>
    content.map((block) =>
      JSON.stringify([role, block], (_, value) => (typeof value === "string" ? value.trim() : value)),
    ),
  );

/** What is told are the first and the last blocks of the whole conversation, with a word between them. */
function expectBothEnds(path: string): void {
  const whole = readHistory(path, undefined, Number.POSITIVE_INFINITY);
  const short = readHistory(path, undefined, MAX_BYTES);
  const facts = ({ leaf, lastTime, lastPrompt, openCalls, slug }: typeof whole) => [
    leaf,
    lastTime,
    lastPrompt,
    openCalls,
    slug,
  ];
  expect(facts(short)).toEqual(facts(whole));
  const all = blocksOf(whole.messages);
  const told = blocksOf(short.messages);
  const gap = told.findIndex((block) => block.includes("of this conversation are left out"));
  const first = gap < 0 ? [] : told.slice(0, gap);
  while (first.at(-1)?.includes("tool_result")) first.pop(); // of a call whose result is left out
  const last = told.slice(gap + 1);
  expect(gap < 0 ? all.length : last.length).toBe(last.length);
  expect(first).toEqual(all.slice(0, first.length));
  expect(last).toEqual(all.slice(all.length - last.length));
}

test("the middle of a long conversation is not decoded", () => {
  const path = write(turns(200));
  const found = ends(path);
  expect(found?.unread.records).toBeGreaterThan(1000);
  expect(found?.selection.nodes.length).toBeLessThan(200);
  expectBothEnds(path);
});

test("nor is what a compaction summed up", () => {
  const path = write([...turns(50), { kind: "compaction" }, ...turns(100), { kind: "compaction" }, ...turns(3)]);
  expect(ends(path)?.selection.nodes).toHaveLength(3 * 6 + 1);
  expectBothEnds(path);
});

test.each<{ what: string; events: Event[] }>([
  { what: "a compaction in the middle", events: [...turns(60), { kind: "compaction" }, ...turns(60)] },
  { what: "a way back into the middle", events: [...turns(120), { kind: "rewind", turns: 60 }, ...turns(2)] },
  {
    what: "a hint that names a record of the middle",
    events: [...turns(60), { kind: "rewind", turns: 40 }, { kind: "hint", isNamed: true }],
  },
])("$what is followed by reading everything", ({ events }) => {
  const path = write(events);
  expect(ends(path)).toBeUndefined();
  expectBothEnds(path);
});

test("where somebody went back to the beginning, only what all ways share is told of that", () => {
  const path = write([...turns(3, 0, 0), ...turns(60), { kind: "rewind", turns: 62 }, ...turns(60)]);
  expect(ends(path)?.unread.after).toBe(2);
  expectBothEnds(path);
});

/** The lines of a session, changed from one on. */
function rewrite(path: string, change: (lines: string[]) => readonly string[]): void {
  writeFileSync(path, `${change(readFileSync(path, "utf8").trim().split("\n")).join("\n")}\n`);
}

test.each([
  ["was never finished", (line: string) => line.slice(0, -20)],
  ["lost its line feed", (line: string) => line],
])("a compaction behind a line that %s is found", (_, tear) => {
  const path = write([...turns(60), { kind: "compaction" }, ...turns(60)]);
  rewrite(path, (lines) => {
    const at = lines.findIndex((line) => line.includes("compact_boundary"));
    return lines.toSpliced(at - 1, 2, tear(lines[at - 1] ?? "") + lines[at]);
  });
  expect(ends(path)).toBeUndefined();
  expectBothEnds(path);
});

test("a hint behind a line that was never finished is found", () => {
  const path = write([...turns(60), { kind: "rewind", turns: 5 }, { kind: "hint", isNamed: true }, ...turns(60)]);
  rewrite(path, (lines) => {
    const at = lines.findIndex((line) => line.includes("last-prompt"));
    return lines.toSpliced(at - 1, 2, (lines[at - 1] ?? "").slice(0, -20) + lines[at]);
  });
  expect(ends(path)).toBeUndefined();
  expectBothEnds(path);
});

test("a record that was written long before its parent is not lost", () => {
  const path = write(turns(120));
  rewrite(path, (lines) => lines.toSpliced(lines.length / 2, 0, ...lines.splice(-1)));
  expect(ends(path)).toBeUndefined();
  expectBothEnds(path);
});

test("a session with lines of another form is read whole", () => {
  const path = write(turns(120));
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const reordered = lines.map((line) => {
    const { parentUuid, ...rest } = JSON.parse(line) as { parentUuid: string | null };
    return JSON.stringify({ ...rest, parentUuid });
  });
  writeFileSync(path, `${reordered.join("\n")}\n`);
  expect(ends(path)).toBeUndefined();
  expectBothEnds(path);
});

test("whatever happened in a long session, both its ends are told", () => {
  const event: fc.Arbitrary<Event> = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        kind: fc.constant("turn" as const),
        calls: fc.nat(3),
        bytes: fc.integer({ min: 0, max: 1500 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewind" as const), turns: fc.nat(12) }) },
    { weight: 1, arbitrary: fc.constant({ kind: "compaction" as const }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("hint" as const), isNamed: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ kind: "agent" as const }) },
    { weight: 2, arbitrary: fc.constant({ kind: "beside" as const }) },
  );
  let read = 0;
  fc.assert(
    fc.property(fc.array(event, { minLength: 20, maxLength: 60, size: "max" }), (events) => {
      const path = write([...turns(2), ...events, ...turns(1)]);
      if (ends(path)) read += 1;
      expectBothEnds(path);
    }),
    runs(60),
  );
  expect(read).toBeGreaterThan(0);
});
