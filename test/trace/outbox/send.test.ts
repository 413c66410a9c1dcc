import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withOutbox } from "../../../src/trace/outbox/outbox.js";
import { type CliResult, runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { plainAttributes, treeOf } from "../all-spans.js";
import { decodeSpans } from "../decode-protobuf.js";
import { liveSession } from "../live-session.js";
import { type Receiver, startReceiver, type Treatment } from "../receiver.js";

const ID = "11111111-1111-4111-8111-111111111111";
const LANGFUSE_KEYS = { publicKey: "pk-lf-1", secretKey: "sk-lf-2" };

interface World {
  readonly receiver: Receiver;
  readonly dir: string;
  run(...args: readonly string[]): Promise<CliResult>;
}

/** As `trace install` leaves it. */
function installTarget(
  dir: string,
  target: { readonly name: string; readonly [key: string]: unknown },
  keys?: object,
): void {
  const path = join(dir, "config.json");
  const targets = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).trace.targets : [];
  writeFileSync(path, JSON.stringify({ trace: { targets: [...targets, target] } }));
  if (keys) writeFileSync(join(dir, "trace-keys.json"), JSON.stringify({ [target.name]: keys }), { mode: 0o600 });
}

/** A finished session of some turns, and a receiver that treats requests as told, in turn. */
async function world(
  turns: number,
  treatments: readonly Treatment[] = [],
  more: Record<string, string> = {},
): Promise<World> {
  const receiver = await startReceiver();
  let request = 0;
  receiver.treat(() => treatments[request++] ?? "accept");
  const [config, dir] = [temporaryFolder(), temporaryFolder()];
  const session = liveSession(join(config, "projects", "p"), ID);
  session.append(Array.from({ length: turns }, () => session.nextTurn(1).lines).flat());
  installTarget(dir, { name: "otlp", kind: "otlp", endpoint: receiver.endpoint });
  const env = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir, ...more };
  return { receiver, dir, run: (...args) => runCli(["trace", ...args], env) };
}

const TURN = ["claude-sonnet-4-5", "Bash", "claude-sonnet-4-5"];

describe("trace send", () => {
  test("sends a session once, however often it is told to", async () => {
    const { receiver, run } = await world(2);
    expect(await run("send", "--all")).toMatchObject({ exitCode: 0, stdout: "otlp: 8 spans sent\n" });
    expect(await run("send", ID)).toMatchObject({ exitCode: 0, stdout: "otlp: 0 spans sent\n" });
    expect(receiver.stored().map(({ name }) => name)).toEqual(["Turn 1", ...TURN, "Turn 2", ...TURN]);
  });

  test("speaks to Langfuse as its rules want", async () => {
    const receiver = await startReceiver();
    const { run, dir } = await world(1);
    installTarget(dir, { name: "langfuse", kind: "langfuse", endpoint: receiver.endpoint }, LANGFUSE_KEYS);
    await run("send", ID, "--target", "langfuse");
    const [request] = receiver.requests;
    expect(request).toMatchObject({
      url: "/api/public/otel/v1/traces",
      headers: {
        authorization: `Basic ${Buffer.from("pk-lf-1:sk-lf-2").toString("base64")}`,
        "x-langfuse-ingestion-version": "4",
        "content-type": "application/x-protobuf",
        "content-encoding": "gzip",
      },
    });
  });

  test("keeps what cannot be delivered now, says so, and delivers it later", async () => {
    const { receiver, run } = await world(1, ["500"]);
    expect(await run("send", "--all")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("the rest waits: HTTP 500"),
    });
    expect((await run("status")).stdout).toMatch(/4 waiting[\s\S]*last failure .*HTTP 500: said 500/);
    expect(await run("retry")).toMatchObject({ exitCode: 0, stdout: "otlp: 4 spans sent\n" });
    expect(receiver.stored()).toHaveLength(4);
  });

  test.each<[Treatment, string]>([
    ["400", "HTTP 400: said 400"],
    ["partialSuccess", "4 of 4 spans rejected: quota"],
  ])("keeps what was refused (%s) with the reason, until it is retried or dropped", async (treatment, reason) => {
    const { receiver, run } = await world(1, [treatment, treatment]);
    await run("send", "--all");
    expect((await run("status")).stdout).toContain(`4 spans refused: ${reason}`);
    expect(await run("retry")).toMatchObject({ exitCode: 1 });
    expect((await run("drop")).stdout).toContain("4 spans would be dropped");
    expect((await run("drop", "--yes")).stdout).toBe("4 spans dropped\n");
    await run("send", "--all");
    expect(receiver.stored()).toEqual([]);
  });

  test("does not repeat what arrived of a request that was refused in part, unless it is told to", async () => {
    const { receiver, run } = await world(1, ["takeFirst"]);
    await run("send", "--all");
    expect((await run("status")).stdout).toContain("4 spans refused in part: 3 of 4 spans rejected: quota");
    expect(await run("retry")).toMatchObject({ exitCode: 0, stdout: "otlp: 0 spans sent\n" });
    expect(await run("retry", "--repeat")).toMatchObject({ exitCode: 0, stdout: "otlp: 4 spans sent\n" });
    const [first, second] = receiver.requests;
    expect(second?.spans).toEqual(first?.spans);
    expect(receiver.requests).toHaveLength(2);
  });

  test("halves what is too large until it fits, and refuses only the span that never does", async () => {
    const { receiver, run } = await world(3);
    receiver.treat((spans) => (spans.length > 2 || spans.some(({ name }) => name === "Turn 2") ? "413" : "accept"));
    expect(await run("send", "--all")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("11 spans sent, 1 refused"),
    });
    expect(receiver.stored()).toHaveLength(11);
  });

  test("stays for a receiver that has taken something and then falters", async () => {
    const { receiver, run } = await world(1, ["413", "accept", "500"]);
    expect(await run("send", "--all")).toMatchObject({ exitCode: 0, stdout: "otlp: 4 spans sent\n" });
    expect(receiver.stored()).toHaveLength(4);
  });

  test("waits as long as a receiver asks for", async () => {
    const started = Date.now();
    const { dir, run } = await world(1, ["429"]);
    await run("send", "--all");
    const { nextAt } = await withOutbox(dir, (outbox) =>
      outbox.health({ ledger: outbox.ledgers()[0]?.ledger ?? "", signal: "traces" }),
    );
    expect(nextAt).toBeGreaterThan(started + 110_000);
  });

  test("sends only turns since a time", async () => {
    const { run } = await world(2);
    const { stdout } = await run("send", ID, "--since", "2026-01-01T00:00:05Z", "--dry-run");
    expect(stdout).toContain("Turn 2");
    expect(stdout).not.toContain("Turn 1");
  });

  test("names what is wrong with its arguments", async () => {
    const { run } = await world(1);
    expect(await run("send")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("no session given") });
    expect(await run("send", ID, "--attributes", "mine")).toMatchObject({ exitCode: 2 });
    expect(await run("send", ID, "--content", "some")).toMatchObject({ exitCode: 2 });
    expect(await run("send", ID, "--target", "x")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no trace target is called x"),
    });
    expect(await run("send", ID, "--file", "out.txt")).toMatchObject({ exitCode: 2 });
  });
});

describe("content", () => {
  test.each([
    ["all", "did ", "ask "],
    ["prompts", "", "ask "],
    ["none", "", ""],
  ])("%s", async (choice, ofTools, ofPeople) => {
    const { receiver, run } = await world(1);
    await run("send", ID, "--content", choice, "--attributes", "openinference");
    const [turn, , tool] = receiver.stored().map(({ attributes }) => plainAttributes(attributes));
    expect(String(turn?.["input.value"] ?? "").slice(0, 4)).toBe(ofPeople);
    expect(String(tool?.["output.value"] ?? "").slice(0, 4)).toBe(ofTools);
  });

  test("that is too long is cut, and says so", async () => {
    const { receiver, run } = await world(0);
    const config = temporaryFolder();
    const session = liveSession(join(config, "projects", "p"), ID);
    session.append(session.nextTurn(1).lines.map((line) => line.replaceAll("did ", "long ".repeat(50_000))));
    await run("send", session.path);
    const tool = plainAttributes(receiver.stored()[2]?.attributes ?? []);
    expect(tool["turnlog.truncated"]).toBe('["output"]');
    expect(tool["output.value"]).toMatch(/… \[cut by turnlog: 200000 of \d+ characters\]$/);
  });

  test("is redacted unless asked otherwise", async () => {
    const { run } = await world(0);
    const session = liveSession(join(temporaryFolder(), "projects", "p"), ID);
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    session.append(session.nextTurn(1).lines.map((line) => line.replaceAll("did ", `${secret} `)));
    const file = join(temporaryFolder(), "out.json");
    await run("send", session.path, "--file", file);
    expect(readFileSync(file, "utf8")).not.toContain(secret);
    await run("send", session.path, "--file", file, "--no-redact", "--force");
    expect(readFileSync(file, "utf8")).toContain(secret);
  });
});

describe("trace send --file", () => {
  test("writes the same spans as JSON and as protobuf", async () => {
    const folder = temporaryFolder();
    const root = join(CORPUS, "2.1.325", "print");
    const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: folder };
    await runCli(["trace", "send", "--all", "--file", join(folder, "out.json")], env);
    await runCli(["trace", "send", "--all", "--file", join(folder, "out.pb")], env);
    const json = JSON.parse(readFileSync(join(folder, "out.json"), "utf8"));
    const { spans } = json.resourceSpans[0].scopeSpans[0];
    expect(decodeSpans(readFileSync(join(folder, "out.pb")))).toEqual(spans);
    expect(treeOf(spans)).toHaveLength(162);
  });
});

test("several targets get everything, each on its own", async () => {
  const langfuse = await startReceiver();
  const { receiver, dir, run } = await world(1);
  installTarget(dir, { name: "langfuse", kind: "langfuse", endpoint: langfuse.endpoint }, LANGFUSE_KEYS);
  receiver.treat(() => "500");
  expect((await run("send", "--all")).stdout.split("\n").toSorted()).toEqual([
    "",
    "langfuse: 4 spans sent",
    "otlp: 0 spans sent; the rest waits: HTTP 500: said 500",
  ]);
  expect(langfuse.stored()).toHaveLength(4);
  expect(JSON.parse((await run("status", "--json")).stdout).targets).toMatchObject([
    { name: "otlp", sent: 0, queued: 4, lastReason: "HTTP 500: said 500" },
    { name: "langfuse", sent: 4, queued: 0 },
  ]);
});

test("trace test says what came back", async () => {
  const { receiver, run } = await world(1, ["accept", "401"]);
  expect(await run("test")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/accepted: look for trace [0-9a-f]{32}/),
  });
  expect(await run("test")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("refused: HTTP 401: said 401"),
  });
  expect(receiver.stored().map(({ name }) => name)).toEqual(["Turn 1", "sample"]);
});

describe("an installed target", () => {
  const APPLICATION = {
    LANGFUSE_PUBLIC_KEY: "pk-lf-application",
    LANGFUSE_SECRET_KEY: "sk-lf-application",
    LANGFUSE_BASE_URL: "http://127.0.0.1:9",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=application,x-application=1",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=application,x-application=1",
  };
  const install = (dir: string, target: object, keys: object) => {
    rmSync(join(dir, "config.json"));
    installTarget(dir, { name: "mine", ...target }, keys);
  };

  test("of Langfuse is sent to with its own keys, not with those of the environment", async () => {
    const { receiver, dir, run } = await world(1, [], APPLICATION);
    install(dir, { kind: "langfuse", endpoint: receiver.endpoint }, { publicKey: "pk-mine", secretKey: "sk-mine" });
    expect(await run("send", ID)).toMatchObject({ exitCode: 0, stdout: "mine: 4 spans sent\n" });
    const authorization = `Basic ${Buffer.from("pk-mine:sk-mine").toString("base64")}`;
    expect(receiver.requests.map(({ headers }) => headers["authorization"])).toEqual([authorization]);
  });

  test("of Langfuse without keys takes none from the environment", async () => {
    const { receiver, dir, run } = await world(1, [], APPLICATION);
    install(dir, { kind: "langfuse", endpoint: receiver.endpoint }, {});
    expect(await run("send", ID)).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("key is missing") });
    expect(receiver.requests).toEqual([]);
  });

  test("of OTLP gets the headers it was installed with and no others", async () => {
    const { receiver, dir, run } = await world(1, [], APPLICATION);
    install(dir, { kind: "otlp", endpoint: receiver.endpoint }, { headers: { "x-mine": "1" } });
    expect(await run("send", ID)).toMatchObject({ exitCode: 0, stdout: "mine: 4 spans sent\n" });
    expect(receiver.requests.map(({ headers }) => headers)).toEqual([expect.objectContaining({ "x-mine": "1" })]);
    expect(receiver.requests.flatMap(({ headers }) => Object.keys(headers))).not.toContain("authorization");
    expect(receiver.requests.flatMap(({ headers }) => Object.keys(headers))).not.toContain("x-application");
  });
});

test("variables of the environment make no target by themselves", async () => {
  const { receiver, dir, run } = await world(1, [], { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20mine" });
  rmSync(join(dir, "config.json"));
  expect(await run("send", ID)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no trace target") });
  expect(receiver.requests).toEqual([]);
});
