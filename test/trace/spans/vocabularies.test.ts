import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ATTRIBUTE_CHOICES } from "../../../src/trace/spans/to-spans.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";
import { allSpans, plainAttributes } from "../all-spans.js";

const TOOLS = join(
  CORPUS,
  "2.1.325/print/projects/-home-dev-p-2-1-325-demo-app/5328d007-63b4-4ded-9476-10de599de25c.jsonl",
);
const corpus = (attributes: (typeof ATTRIBUTE_CHOICES)[number]) =>
  corpusSessions().flatMap((path) => allSpans(join(CORPUS, path), { attributes }));

const json = (value: unknown) => JSON.parse(String(value));

// Rules: docs/gen-ai/client-inference.md, gen-ai-agent-spans.md and gen-ai-output-messages.json of
// github.com/open-telemetry/semantic-conventions-genai.
describe("genai", () => {
  test("names spans by operation, and every span of an operation has what is required", () => {
    const spans = corpus("genai").map(({ name, attributes }) => ({ name, ...plainAttributes(attributes) }));
    const wrong = spans.filter((span: Record<string, unknown>) => {
      const operation = span["gen_ai.operation.name"];
      if (operation === undefined) return !/^claude_code\.[a-z_.]+$/.test(String(span["name"]));
      const target =
        span[
          operation === "chat"
            ? "gen_ai.request.model"
            : operation === "execute_tool"
              ? "gen_ai.tool.name"
              : "gen_ai.agent.name"
        ];
      const isNamed = span["name"] === `${operation} ${target}` || target === undefined;
      return !isNamed || span["gen_ai.provider.name"] !== "anthropic" || span["gen_ai.conversation.id"] === undefined;
    });
    expect(wrong).toEqual([]);
    expect(spans.length).toBeGreaterThan(1000);
  });

  test("writes messages in parts, with a finish reason for what the model wrote", () => {
    const chats = allSpans(TOOLS, { attributes: "genai" }).map(({ attributes }) => plainAttributes(attributes));
    const [first, second] = chats.filter(
      (it) => it["gen_ai.operation.name"] === "chat" && String(it["gen_ai.output.messages"]).includes("tool_call"),
    );
    expect(json(first?.["gen_ai.output.messages"])).toMatchObject([
      {
        role: "assistant",
        finish_reason: "tool_call",
        parts: [
          { type: "reasoning" },
          { type: "text", content: "Let me look." },
          { type: "tool_call", name: "Bash" },
          {},
          {},
        ],
      },
    ]);
    expect(json(second?.["gen_ai.input.messages"])).toMatchObject([
      { role: "tool", parts: [{ type: "tool_call_response", response: expect.stringContaining("total") }] },
      { role: "tool" },
      { role: "tool" },
    ]);
  });
});

// Rules: spec/semantic_conventions.md of github.com/Arize-ai/openinference (`openinference.span.kind` is required); Phoenix reads
// the project from the resource, `openinference.project.name`.
describe("openinference", () => {
  const KINDS = ["LLM", "CHAIN", "TOOL", "AGENT", "GUARDRAIL"];

  test("gives every span a kind that exists, and a session", () => {
    const spans = corpus("openinference").map(({ attributes }) => plainAttributes(attributes));
    expect(spans.filter((it) => !KINDS.includes(String(it["openinference.span.kind"])) || !it["session.id"])).toEqual(
      [],
    );
  });

  test("flattens messages, calls and results", () => {
    const spans = allSpans(TOOLS, { attributes: "openinference" }).map(({ attributes }) => plainAttributes(attributes));
    const calling = spans.find((it) => it["llm.output_messages.0.message.tool_calls.0.tool_call.id"] !== undefined);
    expect(calling).toMatchObject({
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.contents.0.message_content.type": "reasoning",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "Bash",
      "llm.finish_reason": "tool_use",
    });
    const next = spans.find((it) => it["llm.input_messages.2.message.tool_call_id"] !== undefined);
    expect(next?.["llm.input_messages.0.message.role"]).toBe("tool");
    const told = spans.filter((it) => it["llm.cost.total"] !== undefined);
    const parts = (it: Record<string, unknown>) => Number(it["llm.cost.prompt"]) + Number(it["llm.cost.completion"]);
    expect(told.map(parts)).toEqual(told.map((it) => expect.closeTo(Number(it["llm.cost.total"]), 12)));
  });
});

// Jaeger, Tempo, Honeycomb and Datadog group by span name: opentelemetry-specification, trace/api.md, "Span": a name should be the
// most general string that identifies a class of spans.
test("general has few span names in all recorded sessions", () => {
  const names = new Set(corpus("general").map(({ name }) => name));
  expect([...names].toSorted()).toEqual([
    "claude_code.agent",
    "claude_code.api_error",
    "claude_code.compaction",
    "claude_code.follow_up",
    "claude_code.hook",
    "claude_code.llm_request",
    "claude_code.tool",
    "claude_code.tool.blocked_on_user",
    "claude_code.turn",
  ]);
});

test("Langfuse gets calls as it reads them, cost under the names of tokens, and tool text without quotes", () => {
  const spans = allSpans(TOOLS, { attributes: "langfuse" }).map(({ attributes }) => plainAttributes(attributes));
  const calling = spans.find((it) => String(it["langfuse.observation.output"]).includes("tool_calls"));
  expect(json(calling?.["langfuse.observation.output"])).toMatchObject({
    role: "assistant",
    content: "Let me look.",
    thinking: [{ type: "thinking", content: "I should look at the project." }],
    tool_calls: [
      { type: "function", function: { name: "Bash", arguments: expect.stringContaining("git status") } },
      {},
      {},
    ],
  });
  const keys = (name: string) => Object.keys(json(calling?.[`langfuse.observation.${name}`]));
  expect(keys("cost_details")).toEqual([...keys("usage_details"), "total"]);
  const { total, ...kinds } = json(calling?.["langfuse.observation.cost_details"]);
  expect(total).toBeCloseTo(
    Object.values<number>(kinds).reduce((sum, usd) => sum + usd, 0),
    12,
  );
  const read = spans.find((it) => it["langfuse.observation.metadata.tool_name"] === "Read");
  expect(read?.["langfuse.observation.output"]).toBe("1\t# Demo\n2\t\n3\tA small project.\n4\t");
});
