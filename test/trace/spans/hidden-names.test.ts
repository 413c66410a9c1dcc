import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { traceSession } from "../../../src/trace/observe/trace-session.js";
import { makeMetrics, makeSpans, type SpanSettings } from "../../../src/trace/spans/make-spans.js";
import { jsonMetricsRequest, protobufMetricsRequest } from "../../../src/trace/spans/metrics-request.js";
import { jsonRequest, protobufRequest } from "../../../src/trace/spans/otlp-request.js";
import { ATTRIBUTE_CHOICES } from "../../../src/trace/spans/to-spans.js";
import { answer, assistant, call, command, prompt, result, title } from "../../builders/session-builder.js";
import { leakedIn } from "../../surfaces/leaks.js";
import { plantSession } from "../../surfaces/planted-session.js";
import { tracesOf } from "../written-session.js";

const SETTINGS: SpanSettings = {
  attributes: "all",
  content: "none",
  input: "full",
  traceIds: "records",
  userId: null,
  metadata: {},
  hashKey: "a key",
};

const ROWS = [
  prompt("please", { cwd: "/srv/acme-shop", gitBranch: "fix/acme-login" }),
  call("toolu_1", "mcp__acme-crm__find_customer", { name: "x" }),
  result("toolu_1", "found"),
  call("toolu_2", "Skill", { skill: "acme-release" }),
  result("toolu_2", "done"),
  call("toolu_3", "Read", { file_path: "/srv/acme-shop/a" }),
  result("toolu_3", "text"),
  call("toolu_4", "AcmeTool", {}),
  result("toolu_4", "text"),
  answer("done"),
];

const sent = (settings: Partial<SpanSettings>) =>
  tracesOf(ROWS).flatMap((trace) => makeSpans(trace, { ...SETTINGS, ...settings }, null));

describe("without content", () => {
  test.each(ATTRIBUTE_CHOICES)("no name that somebody gave is told in %s", (attributes) => {
    expect(JSON.stringify(sent({ attributes, content: "all" }))).toMatch(/acme/i);
    expect(JSON.stringify(sent({ attributes }))).not.toMatch(/acme|find_customer/i);
  });

  test("tools of Claude Code keep their names, and others have the same hash each time", () => {
    const names = sent({ attributes: "genai" }).map(({ name }) => name);
    expect(names).toContain("execute_tool Read");
    expect(names).toContain("execute_tool Skill");
    expect(names.find((name) => name.includes("mcp__"))).toMatch(/^execute_tool mcp__[0-9a-f]{12}__[0-9a-f]{12}$/);
    expect(sent({ attributes: "genai" }).map(({ name }) => name)).toEqual(names);
    expect(sent({ attributes: "genai", hashKey: "another key" }).map(({ name }) => name)).not.toEqual(names);
  });
});

/** The bodies of requests, as JSON and as protobuf. */
async function onTheWire(spans: readonly object[], points: readonly object[]): Promise<string> {
  const [traces, metrics] = [spans, points].map((all) => all.map((one) => JSON.stringify(one)));
  const binary = await Promise.all([protobufRequest(traces ?? []), protobufMetricsRequest(metrics ?? [])]);
  const texts = binary.map((bytes) => Buffer.from(bytes).toString("utf8"));
  return [jsonRequest(traces ?? []), jsonMetricsRequest(metrics ?? []), ...texts].join("\n");
}

describe("a session with secrets in every place, names and ids included", () => {
  const redactor = () => createRedactor({ level: "redact", home: "/home/dev", user: "dev" });

  test.each(["all", "prompts", "none"] as const)(
    "tells none in any vocabulary with content %s, nor in the metrics, in either encoding",
    async (content) => {
      const { path, plants } = plantSession(1);
      const traces = [...traceSession(path, { state: { kind: "ended" }, keepsConversation: true })].map(
        ({ trace }) => trace,
      );
      const told = ATTRIBUTE_CHOICES.flatMap((attributes) =>
        traces.flatMap((trace) => makeSpans(trace, { ...SETTINGS, attributes, content }, redactor())),
      );
      const counted = traces.flatMap((trace) => makeMetrics(trace, { ...SETTINGS, content }, redactor()));
      expect(told.length).toBeGreaterThan(10);
      expect(counted.length).toBeGreaterThan(10);
      expect(leakedIn(await onTheWire(told, counted), plants)).toEqual([]);
    },
  );
});

const TOKEN = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";

/** A token where only names and ids are expected. */
const NAMED = [
  prompt("please", { cwd: `/srv/${TOKEN}`, gitBranch: TOKEN, permissionMode: TOKEN, version: TOKEN }),
  assistant(TOKEN, [{ type: "tool_use", id: TOKEN, name: TOKEN, input: { [TOKEN]: 1 } }], { stopReason: TOKEN }),
  result(TOKEN, "ok", { permissionDecision: { decision: "accept", source: `user_${TOKEN}` } }),
  {
    type: "attachment",
    attachment: {
      type: "hook_blocking_error",
      hookName: TOKEN,
      hookEvent: TOKEN,
      toolUseID: "x",
      blockingError: { command: TOKEN },
    },
  },
  title(TOKEN),
  call("t2", "Task", { subagent_type: TOKEN, description: TOKEN, prompt: TOKEN, model: TOKEN }),
  result("t2", [{ type: "text", text: TOKEN }], { toolUseResult: { agentId: TOKEN, status: TOKEN, agentType: TOKEN } }),
  call("t3", "Skill", { skill: TOKEN }),
  result("t3", "ok"),
  call("t4", `mcp__${TOKEN}__${TOKEN}`, {}),
  result("t4", TOKEN, { isError: true }),
  call("t5", "Bash", { command: "git commit" }),
  result("t5", "ok", { gitOperation: { commit: { sha: TOKEN }, branch: TOKEN } }),
  { type: "system", subtype: TOKEN, content: TOKEN },
  command(`/${TOKEN}`),
  answer("done", {
    message: { id: "m2", role: "assistant", model: TOKEN, content: "done", usage: { input_tokens: 1, speed: TOKEN } },
  }),
];

test.each(ATTRIBUTE_CHOICES)("a token that stands as a name or an id is not told in %s", async (attributes) => {
  const redactor = createRedactor({ level: "redact" });
  const all = (["all", "prompts", "none"] as const).flatMap((content) =>
    tracesOf(NAMED).map((trace) => ({ trace, settings: { ...SETTINGS, attributes, content } })),
  );
  const spans = all.flatMap(({ trace, settings }) => makeSpans(trace, settings, redactor));
  const points = all.flatMap(({ trace, settings }) => makeMetrics(trace, settings, redactor));
  expect((await onTheWire(spans, points)).match(/.{0,60}A1b2C3d4E5f6G7h8I9j0/g) ?? []).toEqual([]);
});
