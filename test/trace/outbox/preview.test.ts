import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveTarget } from "../../../src/trace/outbox/target.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { plainAttributes } from "../all-spans.js";
import { liveSession } from "../live-session.js";
import { startReceiver } from "../receiver.js";

const ID = "11111111-1111-4111-8111-111111111111";

const [PARENT_TRACE, PARENT_SPAN] = ["a".repeat(32), "b".repeat(16)];
const TRACEPARENT = `00-${PARENT_TRACE}-${PARENT_SPAN}-01`;

/** Two turns, and targets of one receiver. */
async function world(...targets: readonly object[]) {
  const receiver = await startReceiver();
  const config = temporaryFolder();
  const session = liveSession(join(config, "projects", "p"), ID);
  session.append(session.nextTurn(1).lines);
  session.append(session.nextTurn(1).lines);
  const common = { kind: "otlp", endpoint: receiver.endpoint, protocol: "http/json" };
  const trace = { userId: "u1", targets: targets.map((target) => ({ ...common, ...target })) };
  const dir = temporaryFolder({ "config.json": JSON.stringify({ trace }) });
  const file = join(temporaryFolder(), "out.json");
  const env = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir, TRACEPARENT };
  const send = (...args: readonly string[]) => runCli(["trace", "send", ID, ...args], env, { cwd: temporaryFolder() });
  const written = () => JSON.parse(readFileSync(file, "utf8")).resourceSpans[0];
  return { receiver, send, dir, file, written };
}

const OWN = {
  name: "own",
  attributes: "genai",
  content: "none",
  metadata: { team: "web" },
  serviceName: "shop",
  resource: { region: "eu" },
  environment: "ci",
  traceIds: "session",
};

test.each([
  ["with hashes, metadata and resource of its own", OWN, []],
  ["with the whole conversation", { name: "full", input: "full", userId: "u2" }, []],
  ["with what the command says", { name: "plain" }, ["--content", "none", "--profile", "general", "--input", "full"]],
  ["as part of another trace", { name: "plain" }, ["--attach"]],
])("a file has what the target gets: %s", async (_, target, args) => {
  const { receiver, send, file, written } = await world(target);
  await send("--file", file, ...args);
  await send(...args);
  const { resource, scopeSpans } = written();
  expect(scopeSpans[0].spans).toEqual(receiver.stored());
  const [request] = receiver.requests;
  expect(resource).toEqual(JSON.parse(request?.body.toString("utf8") ?? "").resourceSpans[0].resource);
});

test("hashes of `--content none` have the key of this machine, also where the target is set to send everything", async () => {
  const { receiver, send, dir } = await world({ name: "plain" });
  await send("--content", "none");
  expect(statSync(join(dir, "trace-hash.key"), { throwIfNoEntry: false })).toBeDefined();
  expect(receiver.stored()).toHaveLength(8);
});

test("a preview is of the named target, and shows what it would get", async () => {
  const { send } = await world({ name: "all" }, { ...OWN, name: "hidden" });
  expect((await send("--dry-run")).stdout).toContain("ask 1");
  expect((await send("--dry-run", "--target", "hidden")).stdout).not.toContain("ask 1");
  expect(await send("--dry-run", "--target", "missing")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("no trace target is called missing"),
  });
});

test("a preview says of which span turns become children", async () => {
  const { send } = await world({ name: "plain" });
  const { stdout } = await send("--dry-run", "--attach");
  expect(stdout).toContain(`children of span ${PARENT_SPAN} in trace ${PARENT_TRACE}:\n`);
  expect((await send("--dry-run")).stdout).not.toContain(PARENT_SPAN);
});

test("Langfuse gets its own names alone, any other target those of all, and `--profile` decides for once", async () => {
  const langfuse = { name: "l", kind: "langfuse", endpoint: "http://127.0.0.1:9" } as const;
  expect(resolveTarget(langfuse).attributes).toBe("langfuse");
  expect(resolveTarget({ ...langfuse, kind: "otlp" }).attributes).toBe("all");
  const { receiver, send } = await world({ name: "plain" });
  await send("--profile", "openinference");
  const keys = Object.keys(plainAttributes(receiver.stored()[0]?.attributes ?? []));
  expect(keys).toContain("openinference.span.kind");
  expect(keys.filter((key) => key.startsWith("langfuse."))).toEqual([]);
});
