import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../../src/store/sqlite.js";
import { withOutbox } from "../../../src/trace/outbox/outbox.js";
import { resolveTarget } from "../../../src/trace/outbox/target.js";
import { readTraceKeys, writeTraceKeys } from "../../../src/trace/outbox/trace-keys.js";
import { type CliResult, runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { liveSession } from "../live-session.js";
import { type Receiver, startReceiver } from "../receiver.js";

const ID = "11111111-1111-4111-8111-111111111111";

interface World {
  readonly dir: string;
  readonly config: string;
  run(...args: readonly string[]): Promise<CliResult>;
  install(receiver: Pick<Receiver, "endpoint">, key?: string, ...more: readonly string[]): Promise<CliResult>;
}

/** One finished session, and Claude Code's settings without a hook. */
function world(): World {
  const [config, dir, cwd] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const session = liveSession(join(config, "projects", "p"), ID);
  session.append(session.nextTurn(1).lines);
  const env = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir };
  const run = (...args: readonly string[]) => runCli(["trace", ...args], env, { cwd });
  return {
    dir,
    config,
    run,
    install: ({ endpoint }, key = "one", ...more) =>
      run("install", "--otlp", endpoint, "--header", `authorization=${key}`, "--yes", ...more),
  };
}

const ACCEPTED = "otlp: 4 spans sent\n";

describe("a target is its address and account:", () => {
  test("at another address everything can be sent, and status says what the old one has", async () => {
    const [first, second] = [await startReceiver(), await startReceiver()];
    const { install, run } = world();
    await install(first);
    expect((await run("send", "--all")).stdout).toBe(ACCEPTED);
    await run("uninstall", "--yes");
    await install(second);
    expect((await run("send", "--all")).stdout).toBe(ACCEPTED);
    expect(second.stored()).toHaveLength(4);
    expect((await run("status")).stdout).toMatch(
      /^otlp {2}http.*\n {2}4 spans sent[\s\S]*\(removed\) {2}\(no longer a target\)/,
    );
  });

  test("with another key everything can be sent, unless it is said to be of the same account", async () => {
    const receiver = await startReceiver();
    const { install, run } = world();
    await install(receiver, "one");
    await run("send", "--all");
    await install(receiver, "two", "--same-account");
    expect((await run("send", "--all")).stdout).toBe("otlp: 0 spans sent\n");
    await install(receiver, "three");
    expect((await run("send", "--all")).stdout).toBe(ACCEPTED);
  });

  test("what waits goes where the target moved to, and not to one that is installed after it was removed", async () => {
    const [first, second, third] = [await startReceiver(), await startReceiver(), await startReceiver()];
    const { install, run } = world();
    await install(first);
    first.treat(() => "500");
    await run("send", "--all");
    expect((await install(second)).stderr).toContain("4 spans that waited will be sent to it");
    second.treat(() => "500");
    await run("retry");
    await run("uninstall", "--yes");
    await install(third);
    await run("retry");
    expect(third.stored()).toEqual([]);
    await run("uninstall", "--yes");
    second.treat(() => "accept");
    await install(second);
    expect((await run("retry")).stdout).toBe(ACCEPTED);
  });

  test("what was sent before targets had ledgers of their own stays known", async () => {
    const receiver = await startReceiver();
    const { dir, install, run } = world();
    await install(receiver);
    await run("send", "--all");
    const database = openDatabase(join(dir, "outbox.db"));
    database.exec(`UPDATE spans SET target = 'otlp'; DROP TABLE ledgers; DROP TABLE events;
      DROP INDEX queued; CREATE INDEX queued ON spans (target, batch, number) WHERE state = 'queued';
      ALTER TABLE spans DROP COLUMN signal; ALTER TABLE targets DROP COLUMN paused_with; PRAGMA user_version = 2`);
    database.close();
    expect((await run("send", "--all")).stdout).toBe("otlp: 0 spans sent\n");
    expect((await run("status")).stdout).toMatch(/^otlp {2}http.*\n {2}4 spans sent, none waiting\n/);
  });
});

describe("a refused key", () => {
  test("pauses the target, and a new one sends everything, once", async () => {
    const receiver = await startReceiver();
    const { install, run } = world();
    await install(receiver, "old");
    receiver.treat((_, { authorization }) => (authorization === "new" ? "accept" : "401"));
    expect(await run("send", "--all")).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("it is paused") });
    const { stdout } = await run("status");
    expect(stdout).toMatch(/4 waiting[\s\S]*paused: it refuses the key/);
    expect(stdout).not.toContain("refused:");
    await install(receiver, "new");
    expect((await run("retry")).stdout).toBe(ACCEPTED);
    expect((await run("status")).stdout).not.toContain("paused");
    expect((await run("send", "--all")).stdout).toBe("otlp: 0 spans sent\n");
  });

  test("is a warning of doctor", async () => {
    const receiver = await startReceiver();
    const { dir, config, install, run } = world();
    await install(receiver);
    receiver.treat(() => "403");
    await run("send", "--all");
    const { stdout } = await runCli(["doctor"], { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir });
    expect(stdout).toMatch(/traces.*otlp refuses its key; 4 spans wait/);
  });
});

test("a target that fails is a warning of doctor, also after the pause when nothing has tried again", async () => {
  const receiver = await startReceiver();
  const { dir, config, install, run } = world();
  await install(receiver);
  receiver.treat(() => "500");
  await run("send", "--all");
  const failure = { kind: "failure", at: 1, reason: "HTTP 500", nextAt: 0 } as const;
  await withOutbox(dir, (outbox) =>
    outbox.ledgers().map(({ ledger }) => outbox.note({ ledger, signal: "traces" }, failure)),
  );
  const { stdout } = await runCli(["doctor"], { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir });
  expect(stdout).toMatch(/traces.*otlp fails: HTTP 500/);
});

describe("the status line", () => {
  const statusOf = async ({ dir, config }: Pick<World, "dir" | "config">) => {
    const env = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir };
    const { stdout } = await runCli(["stats", "--statusline"], env, { stdin: "{}" });
    return stdout.trimEnd().split(" · ").slice(1);
  };

  test.each([
    ["a target fails", "500", "traces wait: otlp fails"],
    ["its key is refused", "403", "otlp refuses its key"],
    ["it refused spans", "400", "otlp refused traces"],
  ] as const)("tells that %s, until it does not any more", async (_, treatment, told) => {
    const receiver = await startReceiver();
    const { run, install, ...places } = world();
    await install(receiver);
    expect(await statusOf(places)).toEqual([]);
    receiver.treat(() => treatment);
    await run("send", "--all");
    expect(await statusOf(places)).toEqual([told]);
    await run("off");
    expect(await statusOf(places)).toEqual([]);
    await run("on");
    receiver.treat(() => "accept");
    await run("retry");
    expect(await statusOf(places)).toEqual([]);
  });

  test("says nothing of a target that moved away from where it failed, or of what was given up", async () => {
    const [first, second] = [await startReceiver(), await startReceiver()];
    const { run, install, ...places } = world();
    await install(first);
    first.treat(() => "500");
    await run("send", "--all");
    await install(second);
    expect(await statusOf(places)).toEqual([]);
    second.treat(() => "400");
    await run("retry");
    expect(await statusOf(places)).toEqual(["otlp refused traces"]);
    await run("drop", "--yes");
    expect(await statusOf(places)).toEqual([]);
  });

  test("tells that keys are missing, and makes no outbox", async () => {
    const { run, ...places } = world();
    const target = { name: "langfuse", kind: "langfuse", endpoint: "http://127.0.0.1:9" };
    writeFileSync(join(places.dir, "config.json"), JSON.stringify({ trace: { targets: [target] } }));
    expect(await statusOf(places)).toEqual([]);
    expect(readdirSync(places.dir)).not.toContain("outbox.db");
    await run("send", "--all");
    expect(await statusOf(places)).toEqual(["traces wait: langfuse fails"]);
    rmSync(join(places.dir, "outbox.db"));
    mkdirSync(join(places.dir, "outbox.db"));
    expect(await statusOf(places)).toEqual([]);
  });
});

test("resend sends again what was sent, and says what becomes of it", async () => {
  const receiver = await startReceiver();
  const { install, run } = world();
  await install(receiver);
  await run("send", "--all");
  expect((await run("resend")).stderr).toMatch(/otlp: this depends on the backend[\s\S]*nothing was sent again/);
  expect((await run("resend", "--until", "2025-12-31", "--yes")).stdout).toBe("otlp: 0 spans sent\n");
  expect((await run("resend", "--session", ID, "--yes")).stdout).toBe(ACCEPTED);
  const [first, again] = receiver.requests.filter(({ spans }) => spans.length > 0);
  expect(again?.spans).toEqual(first?.spans);
});

describe("install asks the backend", () => {
  async function startLangfuse(key: string): Promise<string> {
    const server = createServer((request, response) => {
      const isKnown = request.headers.authorization === `Basic ${Buffer.from(`pk:${key}`).toString("base64")}`;
      const body = request.method === "GET" ? '{"data":[{"id":"p1","name":"Shop"}]}' : "{}";
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" }).end(isKnown ? body : "{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const keysFile = (secretKey: string) => {
    const folder = temporaryFolder({ "keys.json": JSON.stringify({ publicKey: "pk", secretKey }) });
    chmodSync(join(folder, "keys.json"), 0o600);
    return join(folder, "keys.json");
  };

  test("for the project of the keys, and stores what it is", async () => {
    const { dir, run } = world();
    const address = await startLangfuse("right");
    const { stderr } = await run("install", "--langfuse", address, "--keys-file", keysFile("right"), "--yes");
    expect(stderr).toContain("langfuse: the keys are those of project Shop\n");
    const { targets } = JSON.parse(readFileSync(join(dir, "config.json"), "utf8")).trace;
    expect(targets).toEqual([{ name: "langfuse", kind: "langfuse", endpoint: address, account: "p1" }]);
  });

  test("and changes nothing where it refuses the keys or does not answer", async () => {
    const { dir, config, run } = world();
    const address = await startLangfuse("right");
    const wrong = await run("install", "--langfuse", address, "--keys-file", keysFile("wrong"), "--yes");
    expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("HTTP 401: the keys are refused") });
    const silent = await run("install", "--otlp", "http://127.0.0.1:9", "--yes");
    expect(silent).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--no-check") });
    expect(readdirSync(config)).toEqual(["projects"]);
    expect(readdirSync(dir)).not.toContain("config.json");
  });
});

test("status tells times as clocks on the wall do", async () => {
  const { TZ } = process.env;
  onTestFinished(() => {
    process.env["TZ"] = TZ ?? "UTC";
  });
  process.env["TZ"] = "Asia/Tokyo";
  const receiver = await startReceiver();
  const { dir, install, run } = world();
  await install(receiver);
  const noon = Date.UTC(2026, 0, 1, 12);
  await withOutbox(dir, (outbox) =>
    outbox.ledgers().map(({ ledger }) => outbox.note({ ledger, signal: "traces" }, { kind: "success", at: noon })),
  );
  expect((await run("status")).stdout).toContain("last success 2026-01-01 21:00:00");
});

test("uninstall of settings without a hook says where the hook is, and changes nothing", async () => {
  const receiver = await startReceiver();
  const { dir, install, run } = world();
  await install(receiver);
  const before = readFileSync(join(dir, "config.json"), "utf8");
  const { exitCode, stderr } = await run("uninstall", "--scope", "project", "--yes");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("the user settings have it: `turnlog trace uninstall --scope user`");
  expect(readFileSync(join(dir, "config.json"), "utf8")).toBe(before);
});

describe("keys in a keychain", () => {
  const SECRET = { publicKey: "pk-lf-1", secretKey: "sk-lf-very-secret" };

  /** A program of the same name that keeps secrets in files, and notes its arguments. */
  function fakeKeychain(
    script: string,
    name: string,
  ): { readonly env: Record<string, string>; readonly calls: string } {
    const folder = temporaryFolder();
    const calls = join(folder, "calls");
    mkdirSync(join(folder, "kept"));
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$@" >> "${calls}"\nkept="${folder}/kept/one"\n${script}`);
    chmodSync(join(folder, name), 0o755);
    const { PATH } = process.env;
    process.env["PATH"] = `${folder}${delimiter}${PATH}`;
    onTestFinished(() => {
      process.env["PATH"] = PATH;
    });
    return { env: { PATH: folder }, calls };
  }

  const SECRET_TOOL = `case "$1" in store) cat > "$kept";; lookup) cat "$kept";; clear) rm -f "$kept";; esac`;
  const SECURITY = `case "$1" in
  -i) sed -n 's/.* -X \\([0-9a-f]*\\)$/\\1/p' | while read -r hex; do
    printf "$(echo "$hex" | sed 's/../\\\\x&/g')" > "$kept"; done;;
  find-generic-password) cat "$kept" && echo;;
  delete-generic-password) rm -f "$kept";;
esac`;

  test.each([
    ["secret-tool", SECRET_TOOL],
    ["security", SECURITY.replace("#!/bin/sh", "#!/bin/bash")],
  ])("%s: come back, and are neither in a file of turnlog nor among the arguments", (name, script) => {
    const dir = temporaryFolder();
    const { env, calls } = fakeKeychain(script.replaceAll("printf", "/usr/bin/printf"), name);
    expect(writeTraceKeys(dir, "langfuse", SECRET, env)).toEqual({ keychain: name, refusedBy: null });
    expect(readTraceKeys(dir)["langfuse"]).toEqual(SECRET);
    expect(readFileSync(join(dir, "trace-keys.json"), "utf8")).not.toContain("lf-");
    expect(readFileSync(calls, "utf8")).not.toContain("lf-");
    writeTraceKeys(dir, "langfuse", undefined, env);
    expect(readTraceKeys(dir)).toEqual({});
  });

  test("that takes nothing: they are in a file that only its owner can read", () => {
    const dir = temporaryFolder();
    const { env } = fakeKeychain("exit 1", "secret-tool");
    expect(writeTraceKeys(dir, "langfuse", SECRET, env)).toEqual({ keychain: null, refusedBy: "secret-tool" });
    expect(readTraceKeys(dir)["langfuse"]).toEqual(SECRET);
    expect(statSync(join(dir, "trace-keys.json")).mode & 0o777).toBe(0o600);
  });

  test("that is locked: the target says so, and everything waits", () => {
    const dir = temporaryFolder({ "trace-keys.json": '{"langfuse":{"keychain":"secret-tool"}}' });
    chmodSync(join(dir, "trace-keys.json"), 0o600);
    fakeKeychain("exit 1", "secret-tool");
    const target = { name: "langfuse", kind: "langfuse", endpoint: "http://127.0.0.1:9" } as const;
    expect(resolveTarget(target, readTraceKeys(dir)).problem).toMatch(/^secret-tool does not give the keys/);
  });

  test("that is locked for a while: the target keeps its ledger and its keys", async () => {
    const receiver = await startReceiver();
    const { dir, config, run } = world();
    const folder = temporaryFolder();
    const { env } = fakeKeychain(`[ -e "${join(folder, "locked")}" ] && exit 1\n${SECRET_TOOL}`, "secret-tool");
    const install = ["install", "--otlp", receiver.endpoint, "--yes"];
    const io = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir, TURNLOG_KEYCHAIN: "", ...env };
    await runCli(["trace", ...install, "--header", "authorization=one"], io);
    await run("send", "--all");
    writeFileSync(join(folder, "locked"), "");
    expect((await run("send", "--all")).stderr).toContain("0 spans not sent before");
    expect((await run("status")).stdout).toMatch(/^otlp {2}http.*\n {2}4 spans sent[\s\S]*cannot be used: secret-tool/);
    const before = readFileSync(join(dir, "trace-keys.json"), "utf8");
    await runCli(["trace", ...install, "--environment", "dev", "--no-check"], io);
    expect(readFileSync(join(dir, "trace-keys.json"), "utf8")).toBe(before);
    rmSync(join(folder, "locked"));
    expect((await run("resend", "--yes")).stdout).toBe(ACCEPTED);
    expect(receiver.requests.at(-1)?.headers.authorization).toBe("one");
    expect((await run("status")).stdout).not.toContain("no longer a target");
  });
});

test("tracing that is off sends nothing, and nothing of that time later", async () => {
  const receiver = await startReceiver();
  const { install, run, dir } = world();
  await install(receiver);
  await run("off");
  expect((await run("send", "--all")).stderr).toContain("tracing is off for the project of 1 session");
  expect((await run("status")).stdout).toContain("tracing is off");
  expect(await withOutbox(dir, (outbox) => outbox.counts())).toEqual([]);
  await run("on");
  expect((await run("send", "--all")).stdout).toBe(ACCEPTED);
});
