import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import type { OtlpSpan } from "../../../src/trace/spans/to-spans.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { allSpans } from "../all-spans.js";

const INSTALL_MS = 300_000;

interface TelemetryServer {
  readonly LocalFileTraceStore: new (places: object) => object;
  readonly LocalFileLogStore: new (places: object) => object;
  startTelemetryServer(options: object): Promise<void>;
  stopTelemetryApi(): Promise<void>;
}

let receiver: TelemetryServer;

beforeAll(() => {
  const script = resolve(import.meta.dirname, "..", "..", "..", "scripts", "install-telemetry-server.mjs");
  const entry = execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
  receiver = createRequire(import.meta.url)(entry);
}, INSTALL_MS);

/** The address of a receiver that somebody else wrote, with files of its own. */
async function startRealReceiver(): Promise<string> {
  const port = await freePort();
  const places = (name: string) => ({ storeRoot: temporaryFolder(), indexRoot: join(temporaryFolder(), name) });
  await receiver.startTelemetryServer({
    port,
    traceStore: new receiver.LocalFileTraceStore(places("traces")),
    logStore: new receiver.LocalFileLogStore(places("logs")),
  });
  onTestFinished(() => receiver.stopTelemetryApi());
  return `http://127.0.0.1:${port}`;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

interface Told {
  readonly name: string;
  readonly parent: string | undefined;
  readonly times: readonly number[];
  readonly status: number;
}

type Tree = Record<string, Told>;

function expectedTree(root: string): Record<string, Tree> {
  const traces: Record<string, Tree> = {};
  const seen = new Set<string>();
  const oldestFirst = findSessions([root]).sessions.toSorted((a, b) => a.mtimeMs - b.mtimeMs);
  for (const span of oldestFirst.flatMap(({ path }) => allSpans(path))) {
    if (seen.has(span.spanId)) continue;
    seen.add(span.spanId);
    traces[span.traceId] = { ...traces[span.traceId], [span.spanId]: toTold(span) };
  }
  return traces;
}

function toTold({ name, parentSpanId, startTimeUnixNano, endTimeUnixNano, status }: OtlpSpan): Told {
  const times = [startTimeUnixNano, endTimeUnixNano].map((nano) => Math.round(Number(nano) / 1e6));
  return { name, parent: parentSpanId, times, status: status.code };
}

interface ReadSpan {
  readonly displayName: string;
  readonly parentSpanId?: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly status?: { readonly code: number };
}

/** One trace, as the receiver's own query API gives it. */
async function readTree(address: string, traceId: string): Promise<Tree> {
  const response = await fetch(`${address}/api/traces/${traceId}`);
  const text = await response.text();
  if (text === "") return {}; // it knows no such trace
  const { spans } = JSON.parse(text) as { readonly spans: Record<string, ReadSpan> };
  const told = Object.entries(spans).map(([id, span]): [string, Told] => [
    id,
    {
      name: span.displayName,
      parent: span.parentSpanId,
      times: [span.startTime, span.endTime],
      status: span.status?.code ?? 0,
    },
  ]);
  return Object.fromEntries(told);
}

describe("a receiver that somebody else wrote", () => {
  test.each(["2.0.50/print", "2.1.45/print", "2.1.45/interactive2", "2.1.325/print", "2.1.325/interactive"])(
    "gives back the turns of %s as they were sent",
    async (folder) => {
      const root = join(CORPUS, folder);
      const address = await startRealReceiver();
      const target = {
        name: "real",
        kind: "otlp",
        endpoint: `${address}/api/otlp`,
        isComplete: true,
        protocol: "http/json",
      };
      const config = JSON.stringify({ trace: { targets: [target] } });
      const env = { TURNLOG_DATA_DIR: temporaryFolder({ "config.json": config }) };
      const { exitCode } = await runCli(["trace", "send", "--all", "--config-dir", root], env);
      expect(exitCode).toBe(0);
      const expected = expectedTree(root);
      const traceIds = Object.keys(expected);
      const trees = await Promise.all(traceIds.map((traceId) => readTree(address, traceId)));
      expect(Object.fromEntries(traceIds.map((traceId, at) => [traceId, trees[at]]))).toEqual(expected);
    },
  );
});
