import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sendRequest } from "../../../src/trace/outbox/send-request.js";
import { resolveTarget } from "../../../src/trace/outbox/target.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { liveSession } from "../live-session.js";
import { startReceiver } from "../receiver.js";

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

async function serverThat({ status, headers, body }: Answer): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HTML = { "content-type": "text/html" };
const JSON_TYPE = { "content-type": "application/json" };
const PROTOBUF = { "content-type": "application/x-protobuf" };
/** partial_success { rejected_spans: 1 } of an ExportTraceServiceResponse, by opentelemetry-proto. */
const ONE_REJECTED = Uint8Array.of(0x0a, 0x02, 0x08, 0x01);

test.each<[string, Answer, string, string]>([
  ["an empty answer", { status: 200, headers: PROTOBUF }, "accepted", ""],
  ["JSON", { status: 200, headers: JSON_TYPE, body: "{}" }, "accepted", ""],
  [
    "a rejection in protobuf",
    { status: 200, headers: PROTOBUF, body: ONE_REJECTED },
    "refused",
    "1 of 1 spans rejected",
  ],
  ["a login page", { status: 200, headers: HTML, body: "<html>Sign in</html>" }, "failed", "a web page: http"],
  ["an empty page", { status: 200, headers: HTML }, "failed", "a web page"],
  [
    "some text",
    { status: 200, headers: { "content-type": "text/plain" }, body: "hello" },
    "failed",
    "no OTLP (text/plain)",
  ],
  ["JSON that is no object", { status: 200, headers: JSON_TYPE, body: '"ok"' }, "failed", "no OTLP"],
  ["no JSON at all", { status: 200, headers: JSON_TYPE, body: "<html>" }, "failed", "a web page"],
  ["401", { status: 401 }, "unauthorized", "HTTP 401"],
  ["403", { status: 403 }, "unauthorized", "HTTP 403"],
  ["400", { status: 400, body: "bad span" }, "refused", "HTTP 400: bad span"],
  ["404", { status: 404, headers: HTML, body: "<html>" }, "failed", "is no OTLP receiver; install the target with"],
  ["415", { status: 415 }, "failed", "install it with --protocol json"],
  [
    "a redirect",
    { status: 302, headers: { location: "https://login" } },
    "failed",
    "it sends elsewhere: https://login",
  ],
])("%s", async (_, answer, kind, reason) => {
  const target = resolveTarget({ name: "t", kind: "otlp", endpoint: await serverThat(answer) });
  const result = await sendRequest(target, { signal: "traces", items: ["{}"].map(spanOf) }, (text) => text);
  expect(result).toMatchObject({ kind });
  expect("reason" in result ? result.reason : "").toContain(reason);
});

const spanOf = () =>
  JSON.stringify({
    traceId: "1".repeat(32),
    spanId: "1".repeat(16),
    name: "s",
    kind: 1,
    startTimeUnixNano: "1",
    endTimeUnixNano: "2",
    attributes: [],
    events: [],
    status: { code: 0 },
  });

describe("install says of a receiver", () => {
  const install = async (endpoint: string, protocol: string) => {
    const env = { CLAUDE_CONFIG_DIR: temporaryFolder(), TURNLOG_DATA_DIR: temporaryFolder() };
    const args = ["trace", "install", "--otlp", endpoint, "--protocol", protocol, "--yes"];
    const { exitCode, stderr } = await runCli(args, env, { cwd: temporaryFolder() });
    return {
      exitCode,
      doubt: stderr.includes("answers 2xx to a broken request") && stderr.includes("`turnlog trace test`"),
    };
  };

  test.each(["protobuf", "json"])("that takes anything, that what it takes may be lost: %s", async (protocol) => {
    expect(await install(await serverThat({ status: 200 }), protocol)).toEqual({ exitCode: 0, doubt: true });
  });

  test.each(["protobuf", "json"])("that reads what it takes, nothing of that: %s", async (protocol) => {
    const { endpoint, requests } = await startReceiver();
    expect(await install(endpoint, protocol)).toEqual({ exitCode: 0, doubt: false });
    expect(requests.map(({ spans }) => spans)).toEqual([[]]);
  });
});

test("a web page with 200 loses nothing: the spans wait until the receiver is back", async () => {
  const receiver = await startReceiver();
  const config = temporaryFolder();
  const session = liveSession(join(config, "projects", "p"), "11111111-1111-4111-8111-111111111111");
  session.append(session.nextTurn(0).lines);
  const target = { name: "otlp", kind: "otlp", endpoint: receiver.endpoint };
  const dir = temporaryFolder({ "config.json": JSON.stringify({ trace: { targets: [target] } }) });
  const env = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: dir };
  receiver.treat(() => "web page");
  expect(await runCli(["trace", "send", "--all"], env)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("the answer is a web page"),
  });
  expect(await runCli(["trace", "flush", "--timeout", "1"], env)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/^not everything is sent\notlp[\s\S]*2 waiting/),
  });
  receiver.treat(() => "accept");
  expect(await runCli(["trace", "flush"], env)).toMatchObject({ exitCode: 0, stdout: "everything is sent\n" });
  // A request that took too long may arrive after all.
  expect(new Set(receiver.stored().map(({ spanId }) => spanId)).size).toBe(2);
});
