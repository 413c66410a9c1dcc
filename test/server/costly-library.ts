import { temporaryFolder } from "../format/temporary-folder.js";

type Json = Record<string, unknown>;

const MODEL = "claude-sonnet-4-5";
export const OWNER = "aaaaaaaa-0000-4000-8000-000000000001";
export const FORK = "bbbbbbbb-0000-4000-8000-000000000002";

/** A session with a sub-agent, a rewound branch, a failed, a denied and an ok call and an API error, and a fork of it. */
export function costlyLibrary(): string {
  const project = "projects/-home-dev-shop";
  return temporaryFolder({
    [`${project}/${OWNER}.jsonl`]: lines(ownRecords(OWNER)),
    [`${project}/${OWNER}/subagents/agent-a1.jsonl`]: lines(agentRecords()),
    [`${project}/${FORK}.jsonl`]: lines(forkRecords()),
  });
}

function lines(records: readonly Json[]): string {
  return records.map((record, at) => `${JSON.stringify({ ...record, timestamp: timeOf(at) })}\n`).join("");
}

function timeOf(at: number): string {
  return new Date(Date.UTC(2026, 0, 1, 12, at)).toISOString();
}

function ownRecords(sessionId: string): Json[] {
  const at = { sessionId, cwd: "/home/dev/shop", version: "2.1.326", isSidechain: false };
  return [
    { ...at, ...asked("p1", null, "count the stock") },
    { ...at, ...answered("x1", "p1", "m-rewound", 900) },
    { ...at, ...asked("p2", null, "count it again") },
    { ...at, ...called("c1", "p2", "m1", ["t1", "t2", "t3"], 100) },
    { ...at, ...result("r1", "c1", "t1", "done", false) },
    { ...at, ...result("r2", "r1", "t2", "exit code 1", true) },
    { ...at, ...result("r3", "r2", "t3", "The user doesn't want to proceed with this tool use. ", true) },
    { ...at, ...answered("x2", "r3", "m2", 200) },
    { ...at, ...asked("p3", "x2", "and the rest") },
    { ...at, ...apiError("e1", "p3") },
    { ...at, ...answered("x3", "e1", "m3", 300) },
  ];
}

function agentRecords(): Json[] {
  const at = { sessionId: OWNER, agentId: "a1", cwd: "/home/dev/shop", version: "2.1.326", isSidechain: true };
  return [
    { ...at, ...asked("q1", null, "look around") },
    { ...at, ...answered("y1", "q1", "m-agent", 5000) },
  ];
}

function forkRecords(): Json[] {
  const copied = ownRecords(FORK).map((record) => ({
    ...record,
    forkedFrom: { sessionId: OWNER, messageUuid: record["uuid"] },
  }));
  const at = { sessionId: FORK, cwd: "/home/dev/shop", version: "2.1.326", isSidechain: false };
  return [...copied, { ...at, ...asked("p4", "x3", "go on") }, { ...at, ...answered("x4", "p4", "m-own", 700) }];
}

function asked(uuid: string, parentUuid: string | null, content: string): Json {
  return { type: "user", uuid, parentUuid, message: { role: "user", content } };
}

function answered(uuid: string, parentUuid: string, id: string, tokens: number): Json {
  return assistant(uuid, parentUuid, id, [{ type: "text", text: "so many" }], tokens, "end_turn");
}

function called(uuid: string, parentUuid: string, id: string, calls: readonly string[], tokens: number): Json {
  const content = calls.map((call) => ({ type: "tool_use", id: call, name: "Bash", input: { command: call } }));
  return assistant(uuid, parentUuid, id, content, tokens, "tool_use");
}

function assistant(uuid: string, parentUuid: string, id: string, content: Json[], tokens: number, end: string): Json {
  const usage = { input_tokens: tokens, output_tokens: tokens * 10 };
  return {
    type: "assistant",
    uuid,
    parentUuid,
    message: { role: "assistant", id, model: MODEL, content, usage, stop_reason: end },
  };
}

function result(uuid: string, parentUuid: string, id: string, content: string, isError: boolean): Json {
  const block = { type: "tool_result", tool_use_id: id, content, is_error: isError };
  return { type: "user", uuid, parentUuid, message: { role: "user", content: [block] } };
}

function apiError(uuid: string, parentUuid: string): Json {
  const content = [{ type: "text", text: "API Error: 529" }];
  return {
    type: "assistant",
    uuid,
    parentUuid,
    isApiErrorMessage: true,
    message: { role: "assistant", id: uuid, model: "<synthetic>", content },
  };
}
