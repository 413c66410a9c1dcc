import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import type { OtlpSpan } from "../../src/trace/spans/to-spans.js";
import { decodeSpans } from "./decode-protobuf.js";

/**
 * How a request is treated. `hang` and `reset` come after the body was taken and stored: the sender cannot know. All others
 * but `accept` and `takeFirst` store nothing.
 */
export type Treatment =
  | "accept"
  | "refuse"
  | "400"
  | "401"
  | "403"
  | "413"
  | "429"
  | "500"
  | "hang"
  | "reset"
  | "web page" // a login page with 200, say
  | "partialSuccess" // of none
  | "takeFirst"; // of one span

export interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly url: string;
  readonly treatment: Treatment;
  readonly spans: readonly OtlpSpan[];
  /** The body, unpacked. */
  readonly body: Buffer;
}

export interface Receiver {
  readonly endpoint: string;
  readonly requests: readonly Received[];
  /** What a backend would hold: every span as often as it was taken. */
  stored(): readonly OtlpSpan[];
  treat(choose: (spans: readonly OtlpSpan[], headers: IncomingMessage["headers"]) => Treatment): void;
}

/** An OTLP receiver on loopback that can fail in every way that receivers do. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  let choose: Parameters<Receiver["treat"]>[0] = () => "accept";
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return void response.writeHead(200, JSON_TYPE).end(PROJECTS);
    const body = gunzipSync(await bodyOf(request));
    const spans = spansOf(request, body);
    if (spans === undefined) return void response.writeHead(400).end("no OTLP");
    const treatment = choose(spans, request.headers);
    requests.push({ headers: request.headers, url: request.url ?? "", treatment, spans, body });
    answer(treatment, spans.length, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stored: () => requests.flatMap(({ treatment, spans }) => spans.slice(0, storedOf(treatment, spans.length))),
    treat: (chosen) => {
      choose = chosen;
    },
  };
}

const JSON_TYPE = { "content-type": "application/json" };
/** As Langfuse names the project of a key. */
const PROJECTS = '{"data":[{"id":"p1","name":"Shop"}]}';

const STORING: ReadonlySet<Treatment> = new Set<Treatment>(["accept", "hang", "reset"]);

function storedOf(treatment: Treatment, spans: number): number {
  return treatment === "takeFirst" ? 1 : STORING.has(treatment) ? spans : 0;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Undefined: it cannot be read. */
function spansOf({ url, headers }: IncomingMessage, body: Buffer): readonly OtlpSpan[] | undefined {
  if (url?.endsWith("/v1/metrics")) return [];
  try {
    return headers["content-type"] === "application/json" ? spansIn(body) : (decodeSpans(body) as OtlpSpan[]);
  } catch {
    return undefined;
  }
}

function spansIn(body: Buffer): OtlpSpan[] {
  const json = JSON.parse(body.toString("utf8"));
  return json.resourceSpans[0].scopeSpans[0].spans;
}

function answer(treatment: Treatment, spans: number, request: IncomingMessage, response: ServerResponse): void {
  switch (treatment) {
    case "refuse":
    case "reset":
      request.socket.destroy();
      break;
    case "hang":
      break;
    case "accept":
      response.writeHead(200, JSON_TYPE).end("{}");
      break;
    case "web page":
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!doctype html><h1>Sign in</h1>");
      break;
    case "partialSuccess":
    case "takeFirst": {
      const rejectedSpans = String(spans - storedOf(treatment, spans));
      const partialSuccess = { rejectedSpans, errorMessage: "quota" };
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ partialSuccess }));
      break;
    }
    case "429":
      response.writeHead(429, { "retry-after": "120" }).end("slow down");
      break;
    default:
      response.writeHead(Number(treatment)).end(`said ${treatment}`);
  }
}
