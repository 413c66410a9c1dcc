import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planPrune } from "../../../src/edit/prune/plan-prune.js";
import { PRUNE_PRESETS, type PruneOptions } from "../../../src/edit/prune/prune-presets.js";
import { anySession } from "../../builders/any-session.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import { answer, assistant, chain, prompt, type Row, result, toLines } from "../../builders/session-builder.js";
import { corpusSessions } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";
import { edit, NEW_ID, withSource } from "../edited-session.js";

const PRESETS = Object.values(PRUNE_PRESETS);
const plan = (options: PruneOptions) => (source: EditSource) => planPrune(source, options, { id: NEW_ID });

const text = fc.tuple(
  fc.constantFrom("", "\n", "\n\nx\n", "word ", "one line\n", "é😀"),
  fc.integer({ min: 0, max: 1500 }),
);
const anyText = text.map(([part, times]) => part.repeat(times).slice(0, 4000) || "x");
const image = fc.constantFrom("AAAA", "iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAIAAAAUvlBO", "A".repeat(5000)).map((data) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
}));
const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQK" } };
const attachment = fc.oneof(
  anyText.map((content) => ({ type: "file", displayPath: "a.ts", content: { type: "text", file: { content } } })),
  anyText.map((content) => ({ type: "hook_additional_context", hookName: "Stop", content: [content] })),
  fc.constant({ type: "todo_reminder" }),
);
const output = fc.oneof(
  anyText,
  fc.tuple(anyText, image).map(([words, picture]) => [{ type: "text", text: words }, picture]),
  fc.constant([pdf]),
);
const anyCall = fc.record({
  name: fc.constantFrom("Bash", "Read", "Agent", "AskUserQuestion"),
  input: anyText,
  output,
  isError: fc.boolean(),
});
const anyTurn = fc.record({
  words: anyText,
  picture: fc.option(image, { nil: undefined }),
  attachments: fc.array(
    attachment.map((it): Row => ({ type: "attachment", attachment: it })),
    { maxLength: 2 },
  ),
  thinking: fc.boolean(),
  calls: fc.array(anyCall, { maxLength: 4 }),
  isParallel: fc.boolean(),
});
/** What requests counted has nothing to do with texts in some sessions. */
const anyUsage = fc.option(fc.array(fc.nat(200_000), { minLength: 1, maxLength: 8 }), { nil: undefined });

const longSession = fc.tuple(fc.array(anyTurn, { minLength: 1, maxLength: 5 }), anyUsage).map(([turns, usage]) => {
  const rows = turns.flatMap((turn, at): Row[] => {
    const thought = { type: "thinking", thinking: "so it is ".repeat(at + 5), signature: "sig" };
    const id = (call: number) => `t${at}-${call}`;
    const uses = turn.calls.map(({ name, input }, call) => {
      const block = { type: "tool_use", id: id(call), name, input: { file_path: "/x", text: input } };
      const message = turn.isParallel ? `m${at}` : `m${at}-${call}`;
      return assistant(message, [block], { stopReason: "tool_use" });
    });
    const results = turn.calls.map((call, number) =>
      result(id(number), call.output, { isError: call.isError && typeof call.output === "string" }),
    );
    const pairs = turn.isParallel
      ? [...uses, ...results]
      : uses.flatMap((use, number) => [use, results[number] ?? use]);
    return [
      prompt([...(turn.picture ? [turn.picture] : []), { type: "text", text: `${turn.words} ${at}` }]),
      ...turn.attachments,
      ...(turn.thinking
        ? [assistant(turn.isParallel ? `m${at}` : `m${at}-0`, [thought], { stopReason: "tool_use" })]
        : []),
      ...pairs,
      answer(`did ${at}`),
    ];
  });
  return toLines(chain(...rows.map((row, at) => withUsage(row, usage?.[at % usage.length]))));
});

function withUsage(row: Row, count: number | undefined): Row {
  if (row["type"] !== "assistant" || count === undefined) return row;
  return { ...row, message: { ...(row["message"] as Row), usage: { input_tokens: count, output_tokens: 9 } } };
}

/** By the estimate, and in characters of the next request. */
function sizes(
  bytes: string | Buffer,
  keep: PruneOptions,
): { readonly tokens: number[]; readonly characters: number[] } {
  const options = PRESETS.map((preset) => ({ ...preset, keepTokens: undefined, ...keep }));
  return {
    tokens: options.map((prune) => withSource(bytes, plan(prune)).tokensAfter),
    characters: options.map((prune) => countCharacters(edit(bytes, plan(prune)).replay.messages)),
  };
}

/** What an image or a document costs does not follow from its characters. */
function countCharacters(messages: unknown): number {
  const count = (value: unknown, key: string): number => {
    if (typeof value === "string") return key === "data" ? (value.startsWith("JVBERi") ? 10_000 : 240) : value.length;
    if (typeof value !== "object" || value === null) return 0;
    return Object.entries(value).reduce((sum, [name, item]) => sum + count(item, name), 0);
  };
  return count(messages, "");
}

function isDescending(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number <= (numbers[at - 1] ?? 0));
}

const anyKeep: fc.Arbitrary<PruneOptions> = fc.oneof(
  fc.nat(4).map((keepLast) => ({ keepLast })),
  fc.constantFrom(0, 200, 2000, 20_000).map((keepTokens) => ({ keepTokens })),
);

describe("with equal options, each preset leaves no more than the one before it", () => {
  test("of any session with long results, images, thinking and attachments", () => {
    fc.assert(
      fc.property(longSession, anyKeep, (bytes, keep) => {
        const { tokens, characters } = sizes(bytes, keep);
        expect(tokens).toSatisfy(isDescending);
        expect(characters).toSatisfy(isDescending);
      }),
      runs(60),
    );
  });

  test("of any shape of session", () => {
    const shape = anySession().map((lines) => lines.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(shape, anyKeep, (bytes, keep) => {
        expect(sizes(bytes, keep).tokens).toSatisfy(isDescending);
      }),
      runs(50),
    );
  });

  test.each(corpusSessions())("of %s, also with what each keeps unless said", (path) => {
    const bytes = corpusBytes(path);
    expect(sizes(bytes, { keepLast: 0 }).tokens).toSatisfy(isDescending);
    expect(sizes(bytes, { keepLast: 1 }).characters).toSatisfy(isDescending);
    expect(PRESETS.map((preset) => withSource(bytes, plan(preset)).tokensAfter)).toSatisfy(isDescending);
  });
});

test("the parts of a report add up to its sum, with parallel results too", () => {
  fc.assert(
    fc.property(longSession, anyKeep, fc.constantFrom(...PRESETS), (bytes, keep, preset) => {
      const { savedTokens, tokensBefore, tokensAfter } = withSource(bytes, plan({ ...preset, ...keep }));
      const parts = [...savedTokens.values()].reduce((sum, tokens) => sum + tokens, 0);
      expect(parts).toBe(tokensBefore - tokensAfter);
    }),
    runs(30),
  );
});

test("pruning again with the same options changes nothing", () => {
  fc.assert(
    fc.property(longSession, anyKeep, fc.constantFrom(...PRESETS), (bytes, keep, preset) => {
      const options = { ...preset, ...keep };
      const again = withSource(edit(bytes, plan(options)).text, plan(options));
      expect([...again.changes.values()].map((change) => change.reason)).toEqual([]);
    }),
    runs(30),
  );
});
