import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { jsonRequest, protobufRequest } from "../../../src/trace/spans/otlp-request.js";
import type { OtlpSpan } from "../../../src/trace/spans/to-spans.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";
import { allSpans, plainAttributes } from "../all-spans.js";
import { decodeSpans } from "../decode-protobuf.js";

const TESTS = join(import.meta.dirname, "..", "..");
const GOLDEN = join(TESTS, "golden", "trace");
const NEW = "corpus/2.1.325/print/projects/-home-dev-p-2-1-325-demo-app";

/** One session per quirk. */
const QUIRKS = {
  "parallel-agents": `${NEW}/0ed05023-2629-46c3-b24e-b8c8e40838ab.jsonl`,
  "background-agent": `${NEW}/062c693c-c43d-482c-934c-026286de3f96.jsonl`,
  "api-error": `${NEW}/7fafec6f-0201-4ba4-9b31-16aafe391876.jsonl`,
  "failed-tools": `${NEW}/5782301d-792a-4f5b-9e13-2501dcdb5106.jsonl`,
  compaction: `${NEW}/5328d007-63b4-4ded-9476-10de599de25c.jsonl`,
  "dead-branch": "corpus/handwritten/c14_branches_early_last.jsonl",
  "no-times": "corpus/handwritten/c04_drop_timestamp.jsonl",
  "no-usage": "corpus/handwritten/c05_drop_usage.jsonl",
  "orphan-call": "corpus/handwritten/c11_orphan_tool_use.jsonl",
  "unanswered-prompt": "corpus/handwritten/c19_user_line_last.jsonl",
  "inline-agents": "crafted/inline-sub-agents.jsonl",
  "agents-beside-sessions":
    "corpus/2.0.50/print/projects/-home-dev-p-2-0-50-demo-app/a6da31ce-82e3-4da7-8942-d6a5323823bc.jsonl",
  "hooks-and-unknown-output":
    "corpus/2.1.45/interactive2/projects/-home-dev-tproj2/81cb60fa-2719-4b12-a617-86535482ee49.jsonl",
};

const redactor = () => createRedactor({ level: "redact", home: "/home/dev", user: "dev" });
const inRequest = (spans: readonly object[]) => jsonRequest(spans.map((span) => JSON.stringify(span)));

describe("the payload for Langfuse", () => {
  test.each(Object.entries(QUIRKS))("of a session with %s is what was read by eye", async (name, path) => {
    const spans = allSpans(join(TESTS, path), {
      attributes: name === "api-error" ? "all" : "langfuse",
      content: { content: "all", redactor: redactor() },
    }).map((span) => withoutFileTime(name, span));
    const request = JSON.stringify(JSON.parse(inRequest(spans)), null, 1);
    await expect(`${request}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.otlp.json`));
  });
});

/** A file in which nothing has a time lends its own, which differs on every disk. */
function withoutFileTime<Span extends object>(name: string, span: Span): Span {
  return name === "no-times" ? { ...span, startTimeUnixNano: "0", endTimeUnixNano: "0" } : span;
}

test("OpenTelemetry's names alone tell user, tags and cost too", () => {
  const spans = allSpans(join(TESTS, QUIRKS["parallel-agents"]), { attributes: "genai", userId: "ann" });
  const [turn, generation] = spans.map(({ attributes }) => plainAttributes(attributes));
  const tags = { values: [{ stringValue: "project:demo_app" }] };
  expect(turn).toMatchObject({ "user.id": "ann", "turnlog.tags": tags });
  expect(generation?.["turnlog.cost_usd"]).toBeGreaterThan(0);
});

test("without content, not even a sub-agent's description is told", () => {
  const path = join(TESTS, QUIRKS["parallel-agents"]);
  const told = (content: "all" | "none") => JSON.stringify(allSpans(path, { content: { content, redactor: null } }));
  expect(told("all")).toContain("Explore A");
  expect(told("none")).not.toContain("Explore A");
});

describe("protobuf", () => {
  test("says the same as JSON, for every recorded session", async () => {
    const spans = corpusSessions().flatMap((path) => allSpans(join(CORPUS, path)));
    const bytes = await protobufRequest(spans.map((span) => JSON.stringify(span)));
    expect(decodeSpans(Buffer.from(bytes))).toEqual(spans);
    expect(spans.length).toBeGreaterThan(1000);
  });

  test("has one resource and one scope for all spans", async () => {
    const spans = allSpans(join(TESTS, QUIRKS["parallel-agents"])).map((span) => JSON.stringify(span));
    const bytes = Buffer.from(await protobufRequest(spans));
    expect(bytes.toString("latin1").split("service.name").length - 1).toBe(1);
    expect(bytes.toString("latin1").split("turnlog\u0012").length - 1).toBeLessThanOrEqual(1);
  });
});

describe("ids", () => {
  test("are the same each time, and the same in a fork", () => {
    const project = join(TESTS, "corpus/2.1.45/interactive2/projects/-home-dev-tproj2");
    const original = allSpans(join(project, "81cb60fa-2719-4b12-a617-86535482ee49.jsonl")).map(({ spanId }) => spanId);
    const fork = allSpans(join(project, "9a9010e6-937d-43d5-9b46-6da48c30276c.jsonl")).map(({ spanId }) => spanId);
    const shared = fork.filter((id) => original.includes(id));
    expect(shared.length).toBeGreaterThan(10);
    expect(original).toEqual(
      allSpans(join(project, "81cb60fa-2719-4b12-a617-86535482ee49.jsonl")).map(({ spanId }) => spanId),
    );
  });

  test("are unique, have the length of the standard, and every parent is there", () => {
    const sessions = corpusSessions();
    expect(sessions.flatMap((path) => idProblems(path, allSpans(join(CORPUS, path))))).toEqual([]);
    expect(sessions.length).toBeGreaterThan(50);
  });
});

function idProblems(path: string, spans: readonly OtlpSpan[]): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const wrong = spans.filter(
    ({ spanId, traceId, parentSpanId }) =>
      !/^[0-9a-f]{16}$/.test(spanId) ||
      !/^[0-9a-f]{32}$/.test(traceId) ||
      (parentSpanId !== undefined && !ids.has(parentSpanId)),
  );
  const repeated = spans.length - ids.size;
  return [
    ...wrong.map(({ spanId }) => `${path} ${spanId}`),
    ...(repeated === 0 ? [] : [`${path}: ${repeated} repeated`]),
  ];
}
