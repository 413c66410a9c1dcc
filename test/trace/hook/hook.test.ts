import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { findEarlierSessions } from "../../../src/format/layout/session-ids.js";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { acquireLock, tryLock } from "../../../src/store/lock.js";
import { spoolEvent } from "../../../src/trace/hook/spool.js";
import { work } from "../../../src/trace/hook/work.js";
import { withOutbox } from "../../../src/trace/outbox/outbox.js";
import { traceLockPath } from "../../../src/trace/outbox/send-queue.js";
import { resolveTarget } from "../../../src/trace/outbox/target.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { plainAttributes, treeOf } from "../all-spans.js";
import { liveSession } from "../live-session.js";
import { type Receiver, startReceiver } from "../receiver.js";
import { runBuilt } from "../run-built.js";

const SILENT = { exitCode: 0, stdout: "", stderr: "" };
const ID = "11111111-1111-4111-8111-111111111111";
const logOf = (dir: string) => readFileSync(join(dir, "log", "trace.log"), "utf8");
const namesOf = (receiver: Receiver) => receiver.stored().map(({ name }) => name);
const hookInput = (event: string, path: string, more: object = {}) =>
  JSON.stringify({ session_id: ID, hook_event_name: event, transcript_path: path, ...more });

/** Those that have written to the log and still run. */
function runningWorkers(dir: string): number[] {
  const pids = logOf(dir).matchAll(/^\S+ (\d+) /gm);
  return [...new Set([...pids].map(([, pid]) => Number(pid)))].filter(isRunning);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const EARLIER = "22222222-2222-4222-8222-222222222222";
/** A first line that still carries the id of the session before. */
const continuing = (line = "") => line.replace(`"sessionId":"${ID}"`, `"sessionId":"${EARLIER}"`);

/** A data folder with one target. */
function installed(target: { readonly endpoint: string }): string {
  return temporaryFolder({
    "config.json": JSON.stringify({ trace: { targets: [{ name: "t", kind: "otlp", ...target }] } }),
  });
}

/** As an application that traces itself has them. */
function variablesFor({ endpoint }: Receiver): Record<string, string> {
  return {
    LANGFUSE_PUBLIC_KEY: "pk-lf-application",
    LANGFUSE_SECRET_KEY: "sk-lf-application",
    LANGFUSE_BASE_URL: endpoint,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=application",
  };
}

/** Worker runs in this process, so that a test can wait for it. */
async function handle(
  dir: string,
  receiver: Receiver,
  event: string,
  transcript: string,
  patienceMs = 0,
): Promise<void> {
  spoolEvent(dir, { event, transcript, size: 0, wordsHash: null, at: Date.now(), cwd: null, traceParent: null });
  const target = resolveTarget({ name: "t", kind: "otlp", endpoint: receiver.endpoint });
  const createIt = () => createRedactor({ level: "redact", home: "/home/me", user: "me" });
  await work({ dir, targets: [target], createRedactor: createIt, patienceMs });
}

const turnNames = ["Turn 1", "claude-sonnet-4-5", "Bash", "claude-sonnet-4-5"];

test("a Stop hook ends at once without a word, and its turn arrives", async () => {
  const receiver = await startReceiver();
  const dir = installed({ endpoint: receiver.endpoint });
  const session = liveSession(temporaryFolder(), ID);
  const { lines, lastWords } = session.nextTurn(1);
  session.append(lines);
  const input = hookInput("Stop", session.path, { last_assistant_message: lastWords });
  expect(await runBuilt(["hook"], { TURNLOG_DATA_DIR: dir }, input)).toEqual(SILENT);
  await vi.waitFor(() => expect(namesOf(receiver)).toEqual(turnNames), { timeout: 30_000, interval: 100 });
  await vi.waitFor(() => expect(runningWorkers(dir)).toEqual([]), { timeout: 20_000 });
  expect(readdirSync(join(dir, "spool"))).toEqual([]);
});

test("a hook loads little of turnlog, as Claude Code waits for it", async () => {
  const folder = temporaryFolder();
  const env = { TURNLOG_DATA_DIR: temporaryFolder(), NODE_V8_COVERAGE: folder };
  expect(await runBuilt(["hook"], env, "{}")).toEqual(SILENT);
  const scripts = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).result);
  const urls: string[] = scripts.map(({ url }) => url);
  const own = urls.filter((url) => url.includes("/dist/"));
  const bytes = own.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0);
  expect(own.some((url) => url.endsWith("/dist/bin.js"))).toBe(true);
  expect(bytes).toBeLessThan(80_000); // what nearly all commands load is some 300,000
});

test("a hook without an installed target sends nothing, whatever the environment names", async () => {
  const receiver = await startReceiver();
  const dir = temporaryFolder();
  const session = liveSession(temporaryFolder(), ID);
  session.append(session.nextTurn(1).lines);
  const env = { TURNLOG_DATA_DIR: dir, ...variablesFor(receiver) };
  expect(await runBuilt(["hook"], env, hookInput("Stop", session.path))).toEqual(SILENT);
  await vi.waitFor(() => expect(logOf(dir)).toContain("0 new spans"), { timeout: 30_000, interval: 100 });
  await vi.waitFor(() => expect(runningWorkers(dir)).toEqual([]), { timeout: 20_000 });
  expect(receiver.requests).toEqual([]);
  expect(await withOutbox(dir, (outbox) => outbox.counts())).toEqual([]);
});

test.each([
  ["nothing", ""],
  ["no JSON", "{oops"],
  ["no transcript", "{}"],
  ["a transcript that is not there", hookInput("Stop", "/nowhere/at/all.jsonl")],
])("a hook that is told %s is silent, and logs it", async (_, input) => {
  const dir = temporaryFolder();
  expect(await runBuilt(["hook", "--whatever", "more"], { TURNLOG_DATA_DIR: dir }, input)).toEqual(SILENT);
  await vi.waitFor(() => expect(logOf(dir)).toMatch(/names no transcript|there is no such file/), { timeout: 20_000 });
  await vi.waitFor(() => expect(runningWorkers(dir)).toEqual([]), { timeout: 20_000 });
});

test("a hook whose data folder cannot be written is silent", async () => {
  const file = join(temporaryFolder({ file: "" }), "file");
  const session = liveSession(temporaryFolder(), ID);
  expect(await runBuilt(["hook"], { TURNLOG_DATA_DIR: file }, hookInput("Stop", session.path))).toEqual(SILENT);
});

test("what the session says is neither in the spool nor in the log, and secrets are not in the outbox", async () => {
  const dir = temporaryFolder();
  const receiver = await startReceiver();
  receiver.treat(() => "500");
  const session = liveSession(temporaryFolder(), ID);
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
  session.append(session.nextTurn(1).lines.map((line) => line.replaceAll("did ", `token ${secret} `)));
  await handle(dir, receiver, "Stop", session.path);
  expect(receiver.requests.length).toBeGreaterThan(0);
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const leaks = files.filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(secret));
  expect(leaks).toEqual([]);
  expect(logOf(dir)).not.toContain("token");
});

test("a session that was left without a Stop is told when another one continues it", async () => {
  const [dir, project] = [temporaryFolder(), temporaryFolder()];
  const receiver = await startReceiver();
  const before = liveSession(project, EARLIER);
  before.append(before.nextTurn(0).lines);
  const current = liveSession(project, ID);
  const lines = current.nextTurn(0).lines;
  current.append([continuing(lines[0]), ...lines.slice(1)]);
  await handle(dir, receiver, "Stop", current.path);
  expect(namesOf(receiver)).toEqual(["Turn 1", "claude-sonnet-4-5", "Turn 1", "claude-sonnet-4-5"]);
});

/** Records of another session as `/background` and `/fork` copy them: the same uuids, and whose request an answer was. */
const copied = (line: string) => {
  const record = { ...JSON.parse(line), sessionId: ID, sessionKind: "bg" };
  return `${JSON.stringify(record.type === "assistant" ? { ...record, requestSessionId: EARLIER } : record)}\n`;
};

test("a session that goes on in the background sends what the one before missed, and the turn in between once", async () => {
  const [dir, project] = [temporaryFolder(), temporaryFolder()];
  const receiver = await startReceiver();
  const before = liveSession(project, EARLIER);
  const [missed, left] = [before.nextTurn(0), before.nextTurn(1)];
  const begun = left.lines.slice(0, 2);
  const next = liveSession(project, ID);
  await handle(dir, receiver, "SessionStart", next.path.replace(ID, "33333333-3333-4333-8333-333333333333"));
  before.append([...missed.lines, ...begun]);
  before.append([`${JSON.stringify({ type: "continued-in", continuedInSessionId: ID, sessionId: EARLIER })}\n`]);
  utimesSync(before.path, 1, 1);
  next.append(begun.map(copied));
  await handle(dir, receiver, "PreCompact", next.path);
  expect(namesOf(receiver)).toEqual(["Turn 1", "claude-sonnet-4-5"]);
  next.append(left.lines.slice(2).map((line) => line.replaceAll(`"sessionId":"${EARLIER}"`, `"sessionId":"${ID}"`)));
  await handle(dir, receiver, "Stop", next.path);
  expect(namesOf(receiver).slice(2)).toEqual(["Turn 1", "claude-sonnet-4-5", "Bash", "claude-sonnet-4-5"]);
  const ids = receiver.stored().map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a session that is told before its file is there sends what the one before missed", async () => {
  const [dir, project] = [temporaryFolder(), temporaryFolder()];
  const receiver = await startReceiver();
  await handle(dir, receiver, "SessionStart", join(project, `${ID}.jsonl`));
  const before = liveSession(project, EARLIER);
  before.append(before.nextTurn(0).lines);
  const current = liveSession(project, ID);
  const lines = current.nextTurn(0).lines;
  current.append([continuing(lines[0]), ...lines.slice(1)]);
  await handle(dir, receiver, "Stop", current.path);
  expect(namesOf(receiver)).toEqual(["Turn 1", "claude-sonnet-4-5", "Turn 1", "claude-sonnet-4-5"]);
});

test("a fork of a fork finds its direct source, which only the newest copies name", () => {
  const project = temporaryFolder();
  const [old, source, fork] = [EARLIER, ID, "44444444-4444-4444-8444-444444444444"].map((id) =>
    liveSession(project, id),
  );
  const of = (line: string, owner: string) => `${JSON.stringify({ ...JSON.parse(line), requestSessionId: owner })}\n`;
  const answers = Array.from({ length: 50 }, () => of(old?.nextTurn(0).lines[1] ?? "", EARLIER));
  fork?.append([...answers, ...answers, of(source?.nextTurn(0).lines[1] ?? "", ID)]);
  expect(findEarlierSessions(fork?.path ?? "")).toEqual([old?.path, source?.path]);
});

test("a session that crashed before its first Stop is told as interrupted when the next one starts", async () => {
  const [dir, project] = [temporaryFolder(), temporaryFolder()];
  const receiver = await startReceiver();
  const crashed = liveSession(project, EARLIER);
  await handle(dir, receiver, "SessionStart", crashed.path);
  crashed.append(crashed.nextTurn(1).lines.slice(0, 2));
  utimesSync(crashed.path, 1, 1);
  await handle(dir, receiver, "SessionStart", join(project, `${ID}.jsonl`));
  await handle(dir, receiver, "SessionStart", join(project, `${ID}.jsonl`));
  expect(namesOf(receiver)).toEqual(["Turn 1", "claude-sonnet-4-5", "Bash"]);
  expect(plainAttributes(receiver.stored()[0]?.attributes ?? [])).toMatchObject({ "turnlog.interrupted": true });
});

test("a session that was rewritten with the same length after it ended is told again", async () => {
  const [dir, project] = [temporaryFolder(), temporaryFolder()];
  const receiver = await startReceiver();
  const ended = liveSession(project, EARLIER);
  ended.append(ended.nextTurn(0).lines);
  await handle(dir, receiver, "SessionEnd", ended.path);
  const before = receiver.stored().length;
  writeFileSync(ended.path, readFileSync(ended.path, "utf8").replaceAll("turn-0", "turn-9"));
  utimesSync(ended.path, 1, 1);
  await handle(dir, receiver, "SessionStart", join(project, `${ID}.jsonl`));
  expect(receiver.stored().length).toBeGreaterThan(before);
});

test("what a sub-agent does after its turn was told is a child of it", async () => {
  const [dir, project] = [temporaryFolder(), temporaryFolder()];
  const receiver = await startReceiver();
  const session = liveSession(project, ID);
  session.append(session.nextTurn(1).lines);
  const agents = join(project, ID, "subagents");
  const agent = liveSession(agents, "agent-a1");
  writeFileSync(
    join(agents, "agent-a1.meta.json"),
    JSON.stringify({ agentType: "Explore", toolUseId: `${ID}-turn-0-tool-0` }),
  );
  agent.append(agent.nextTurn(0).lines);
  await handle(dir, receiver, "Stop", session.path);
  session.append(session.nextTurn(0).lines);
  await handle(dir, receiver, "Stop", session.path);
  agent.append(agent.nextTurn(0).lines);
  await handle(dir, receiver, "SubagentStop", session.path);
  const [first, ...others] = receiver.stored();
  expect(treeOf(receiver.stored())).toEqual([
    "Turn 1",
    "  claude-sonnet-4-5",
    "    Bash",
    "      Explore",
    "        claude-sonnet-4-5",
    "  claude-sonnet-4-5",
    "Turn 2",
    "  claude-sonnet-4-5",
    "        claude-sonnet-4-5",
  ]);
  expect(others.at(-1)?.traceId).toBe(first?.traceId);
});

test("a turn that ends while the past is sent is told after it", async () => {
  const receiver = await startReceiver();
  const dir = temporaryFolder();
  const session = liveSession(temporaryFolder(), ID);
  session.append(session.nextTurn(0).lines);
  const sending = tryLock(traceLockPath(dir), { purpose: "sending traces" });
  const handled = handle(dir, receiver, "Stop", session.path);
  expect(namesOf(receiver)).toEqual([]);
  sending?.release();
  await handled;
  expect(namesOf(receiver)).toEqual(["Turn 1", "claude-sonnet-4-5"]);
});

test("a worker that waits for its target keeps nobody else from sending", async () => {
  const receiver = await startReceiver();
  receiver.treat(() => "500");
  const dir = temporaryFolder();
  const session = liveSession(temporaryFolder(), ID);
  session.append(session.nextTurn(0).lines);
  const handled = handle(dir, receiver, "Stop", session.path, 40_000);
  await vi.waitUntil(() => receiver.requests.length > 0, { timeout: 20_000 });
  const lock = await acquireLock(traceLockPath(dir), { purpose: "sending traces", timeoutMs: 20_000 });
  receiver.treat(() => "accept");
  lock.release();
  await handled;
  expect(namesOf(receiver)).toEqual(["Turn 1", "claude-sonnet-4-5"]);
});

test("a failure in an earlier session does not block the current one", async () => {
  const [dir, project] = [temporaryFolder(), temporaryFolder()];
  const receiver = await startReceiver();
  mkdirSync(join(project, `${EARLIER}.jsonl`));
  const current = liveSession(project, ID);
  const lines = current.nextTurn(0).lines;
  current.append([continuing(lines[0]), ...lines.slice(1)]);
  await handle(dir, receiver, "Stop", current.path);
  expect(namesOf(receiver)).toEqual(["Turn 1", "claude-sonnet-4-5"]);
  expect(logOf(dir)).toContain(EARLIER);
});

test("a file that was replaced is read from its start, and nothing of it is sent twice", async () => {
  const dir = temporaryFolder();
  const receiver = await startReceiver();
  const session = liveSession(temporaryFolder(), ID);
  const [first, second] = [session.nextTurn(0).lines, session.nextTurn(0).lines];
  session.append([...first, ...second]);
  await handle(dir, receiver, "Stop", session.path);
  writeFileSync(session.path, [...second, ...session.nextTurn(0).lines].join(""));
  await handle(dir, receiver, "Stop", session.path);
  expect(namesOf(receiver).filter((name) => name.startsWith("Turn"))).toEqual(["Turn 1", "Turn 2", "Turn 2"]);
  expect(new Set(receiver.stored().map(({ spanId }) => spanId)).size).toBe(receiver.stored().length);
});

test("a log that grew too long is rotated", async () => {
  const dir = temporaryFolder({ "log/trace.log": "x".repeat(1_100_000) });
  await runBuilt(["hook"], { TURNLOG_DATA_DIR: dir }, "");
  expect(existsSync(join(dir, "log", "trace.log.1"))).toBe(true);
  expect(logOf(dir).length).toBeLessThan(1000);
});
