import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import type { OtlpSpan } from "../../src/trace/spans/to-spans.js";

/**
 * How a request is treated. `hang` and `reset` come after the body was taken and stored: the sender cannot know. All others
 * but `accept` and `takeFirst` store nothing.
 */
export type Treatment =
  | "accept"
  | "refuse"
  | "401"
  | "413"
  | "429"
  | "500"
  | "hang"
  | "reset"
  | "partialSuccess" // of none
  | "takeFirst"; // of one span

export interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly url: string;
  readonly treatment: Treatment;
  readonly spans: readonly OtlpSpan[];
}

export interface Receiver {
  readonly endpoint: string;
  readonly requests: readonly Received[];
  /** What a backend would hold: every span as often as it was taken. */
  stored(): readonly OtlpSpan[];
  treat(choose: (spans: readonly OtlpSpan[]) => Treatment): void;
}

/** An OTLP/JSON receiver on loopback that can fail in every way that receivers do. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  let choose: (spans: readonly OtlpSpan[]) => Treatment = () => "accept";
  const server = createServer(async (request, response) => {
    const spans = spansIn(await bodyOf(request));
    const treatment = choose(spans);
    requests.push({ headers: request.headers, url: request.url ?? "", treatment, spans });
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

const STORING: ReadonlySet<Treatment> = new Set<Treatment>(["accept", "hang", "reset"]);

function storedOf(treatment: Treatment, spans: number): number {
  return treatment === "takeFirst" ? 1 : STORING.has(treatment) ? spans : 0;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

function spansIn(body: Buffer): OtlpSpan[] {
  const json = JSON.parse(gunzipSync(body).toString("utf8"));
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
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
      break;
    case "partialSuccess":
    case "takeFirst": {
      const rejectedSpans = String(spans - storedOf(treatment, spans));
      const partialSuccess = { rejectedSpans, errorMessage: "quota" };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ partialSuccess }));
      break;
    }
    case "429":
      response.writeHead(429, { "retry-after": "120" }).end("slow down");
      break;
    default:
      response.writeHead(Number(treatment)).end(`said ${treatment}`);
  }
}
