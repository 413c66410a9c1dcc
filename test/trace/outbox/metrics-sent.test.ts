import { join } from "node:path";
import { expect, test } from "vitest";
import { type CliResult, runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { liveSession } from "../live-session.js";
import { type Received, type Receiver, startReceiver } from "../receiver.js";

const ID = "11111111-1111-4111-8111-111111111111";

function world(): { run(...args: readonly string[]): Promise<CliResult>; doctor(): Promise<CliResult>; add(): void } {
  const [config, dir, cwd] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const session = liveSession(join(config, "projects", "p"), ID);
  const env = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir };
  let number = 0;
  const add = () => {
    number += 1;
    session.append(session.nextTurn(number).lines);
  };
  add();
  return {
    add,
    run: (...args) => runCli(["trace", ...args], env, { cwd }),
    doctor: () => runCli(["doctor"], env, { cwd }),
  };
}

interface Metric {
  readonly name: string;
  readonly sum: { readonly dataPoints: readonly { readonly asInt?: string; readonly asDouble?: number }[] };
}

const isMetrics = ({ url }: Received) => url === "/v1/metrics";

/** What a backend would count of a metric. */
function counted({ requests }: Receiver, name: string): number {
  const metrics = requests
    .filter((request) => isMetrics(request) && request.treatment === "accept")
    .flatMap(({ body }): Metric[] => JSON.parse(body.toString("utf8")).resourceMetrics[0].scopeMetrics[0].metrics);
  const points = metrics.filter((metric) => metric.name === name).flatMap(({ sum }) => sum.dataPoints);
  return points.reduce((sum, { asInt, asDouble }) => sum + Number(asInt ?? asDouble), 0);
}

const install = (receiver: Receiver) =>
  ["install", "--otlp", receiver.endpoint, "--protocol", "json", "--yes", "--metrics"] as const;

test("metrics are sent beside the spans, once, and status counts them", async () => {
  const receiver = await startReceiver();
  const { run, add } = world();
  expect((await run(...install(receiver))).stderr).toContain("it takes traces and metrics");
  expect((await run("send", "--all")).stdout).toMatch(/^otlp: 4 spans and \d+ data points sent\n$/);
  expect(counted(receiver, "turnlog.turn.count")).toBe(1);
  expect((await run("send", "--all")).stdout).toBe("otlp: 0 spans sent\n");
  add();
  await run("send", "--all");
  expect(counted(receiver, "turnlog.turn.count")).toBe(2);
  expect(counted(receiver, "claude_code.session.count")).toBe(1);
  expect((await run("status")).stdout).toMatch(/10 spans sent, none waiting[\s\S]*\d+ data points sent, none waiting/);
});

test("metrics that cannot be sent wait, and keep no span waiting", async () => {
  const receiver = await startReceiver();
  const { run, doctor } = world();
  await run(...install(receiver));
  receiver.treat((spans) => (spans.length === 0 ? "403" : "accept"));
  const sent = await run("send", "--all");
  expect(sent).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("metrics: HTTP 403") });
  expect(sent.stdout).toMatch(/^otlp: 4 spans sent; /);
  expect((await run("status")).stdout).toMatch(/0 data points sent, \d+ waiting[\s\S]*paused: it refuses the key/);
  expect((await doctor()).stdout).toContain("otlp does not take metrics: HTTP 403");
  receiver.treat(() => "accept");
  expect(await run("flush")).toMatchObject({ exitCode: 0, stdout: "everything is sent\n" });
  expect(counted(receiver, "turnlog.turn.count")).toBe(1);
});

test("resend repeats no metric: points add up", async () => {
  const receiver = await startReceiver();
  const { run } = world();
  await run(...install(receiver));
  await run("send", "--all");
  expect((await run("resend", "--yes")).stdout).toBe("otlp: 4 spans sent\n");
  expect(counted(receiver, "turnlog.turn.count")).toBe(1);
});

test("metrics that were switched on later tell the past of what is sent again, and no span twice", async () => {
  const receiver = await startReceiver();
  const { run } = world();
  await run("install", "--otlp", receiver.endpoint, "--yes");
  await run("send", "--all");
  await run(...install(receiver));
  expect((await run("send", "--all")).stdout).toMatch(/^otlp: 0 spans and \d+ data points sent\n$/);
});

test("a backend without metrics is found out before anything is installed", async () => {
  const receiver = await startReceiver();
  const { run } = world();
  const langfuse = await run("install", "--langfuse", receiver.endpoint, "--metrics", "--yes");
  expect(langfuse).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Langfuse takes no metrics") });
  let asked = 0;
  receiver.treat(() => {
    asked += 1;
    return asked === 1 ? "accept" : "400";
  });
  const refused = await run(...install(receiver));
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("it takes traces, but no metrics") });
  expect((await run("status")).stderr + (await run("status")).stdout).not.toContain("otlp");
});
