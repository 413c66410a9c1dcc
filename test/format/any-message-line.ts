import fc from "fast-check";

type Fields = Record<string, unknown>;

/** A line of a session file as any writer may print it: some fields, any order, white space, any letter as an escape. */
export function anyLine(): fc.Arbitrary<string> {
  return fc
    .tuple(record(), fc.constantFrom(undefined, 1, "\t"), fc.nat(90), fc.constantFrom("", " ", "\r"))
    .map(([value, indent, rarity, end]) => escapeSome(onOneLine(value, indent), rarity + 2) + end);
}

function record(): fc.Arbitrary<Fields> {
  return someOf({
    type: mostly(fc.constant("assistant")),
    message: mostly(message()),
    requestId: fc.constantFrom("r1", "r2", null, 5),
    uuid: fc.constantFrom("u1", "u2", null),
    timestamp: fc.oneof(fc.constant("2026-05-01T09:00:00.000Z"), anything()),
    isMeta: fc.constantFrom(false, false, false, true, "true", 1),
    isSidechain: fc.boolean(),
    sessionId: fc.constantFrom("s1", "s2", 5),
    requestSessionId: fc.constantFrom("s1", null),
    forkedFrom: mostly(someOf({ sessionId: fc.constantFrom("s3", 7), messageUuid: text() })),
    agentId: fc.constantFrom("a1", null),
    gitBranch: text(),
    toolUseResult: someOf({ usage: usage(), message: message() }),
    cwd: text(),
  });
}

function message(): fc.Arbitrary<Fields> {
  return someOf({
    id: mostly(fc.constantFrom("m1", "m2", "")),
    role: fc.constantFrom("assistant", "user"),
    model: fc.oneof(fc.constantFrom("claude-x", "claude-y", "<synthetic>"), anything()),
    content: fc.oneof(fc.array(someOf({ type: text(), usage: usage() }), { maxLength: 3 }), anything()),
    stop_reason: fc.constantFrom(null, "end_turn"),
    stop_details: fc.constantFrom(null, {}),
    timestamp: anything(),
    usage: mostly(usage()),
  });
}

function usage(): fc.Arbitrary<Fields> {
  const split = someOf({ ephemeral_5m_input_tokens: counter(), ephemeral_1h_input_tokens: counter() });
  const tools = someOf({ web_search_requests: counter(), web_fetch_requests: counter() });
  return someOf({
    input_tokens: counter(),
    output_tokens: counter(),
    cache_creation_input_tokens: counter(),
    cache_read_input_tokens: counter(),
    cache_creation: mostly(split),
    server_tool_use: mostly(tools),
    speed: fc.oneof(fc.constantFrom("standard", "fast"), anything()),
    iterations: anything(),
  });
}

function counter(): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, "12", -3, 1.5, 1e21, 2 ** 53, true, {}, [1]);
  return fc.oneof(fc.nat(5000), odd, fc.double({ noNaN: true }));
}

function text(): fc.Arbitrary<string> {
  const trap = fc.constantFrom(
    '"usage":{"output_tokens":9}',
    "\\",
    '\\"',
    "]}",
    '"}',
    "assistant",
    `${"a".repeat(80)}"`,
  );
  return fc.oneof(fc.string({ unit: "binary", maxLength: 12 }), trap);
}

function anything(): fc.Arbitrary<unknown> {
  return fc.oneof(fc.jsonValue({ maxDepth: 2 }), text());
}

function mostly(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: anything() });
}

function someOf(shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fields> {
  const names = Object.keys(shape);
  const order = fc.shuffledSubarray(names, { minLength: Math.max(0, names.length - 3) });
  return fc
    .tuple(order, fc.record(shape))
    .map(([chosen, values]) => Object.fromEntries(chosen.map((name) => [name, values[name]])));
}

function onOneLine(value: unknown, indent: number | string | undefined): string {
  return JSON.stringify(value, null, indent).replaceAll("\n", "\r ");
}

/** Inside strings and keys, the letters at every n-th place become escapes. */
function escapeSome(json: string, every: number): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) =>
    quoted.replaceAll(/\\u....|\\.|[a-z_<]/g, (found, at: number) =>
      isChosen(found, at, every) ? toEscape(found) : found,
    ),
  );
}

function isChosen(found: string, at: number, every: number): boolean {
  return found.length === 1 && at % every === 1;
}

function toEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
