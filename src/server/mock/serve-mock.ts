import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AsideAnswers } from "../../agent/mock/answer-aside.js";
import { type Fault, FaultPlan } from "../../agent/mock/fault-plan.js";
import { AnswerFinder, type Match, readRequest } from "../../agent/mock/match-request.js";
import type { RecordedAnswer, RecordedSession } from "../../agent/mock/read-dialogues.js";
import { streamAnswer, toMessage } from "../../agent/mock/stream-answer.js";
import { UserError } from "../../errors.js";
import { isObject, type JsonObject, tryParseJson } from "../../format/json.js";
import { isAllowedHost, LOOPBACK } from "../access/allowed-hosts.js";
import { limitConnections } from "../http/limit-connections.js";

export interface MockOptions {
  readonly port?: number | undefined; // any free one without it
  /** Refuse what was not recorded, instead of answering by position. */
  readonly isStrict?: boolean;
  /** How many times faster than recorded; infinite: at once. */
  readonly speed?: number;
  readonly faults?: readonly string[];
  readonly onRequest?: (served: ServedRequest) => void;
}

export interface ServedRequest {
  readonly number: number;
  readonly how: Match["by"] | "aside" | "end" | "refused" | "fault";
  readonly agentId: string | null;
  /** The place of the answer in its dialogue, from 1; null: none of the recorded ones. */
  readonly answer: number | null;
  readonly said: string;
}

export interface MockServer {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64_000_000; // twice what the API takes
const MAX_CONNECTIONS = 64;
const PING_MS = 10_000; // clients give up on a silent stream
const SAID_LENGTH = 100;

/** Serves recorded sessions as a Messages API on loopback. */
export async function serveMock(sessions: readonly RecordedSession[], options: MockOptions = {}): Promise<MockServer> {
  const mock = new Mock(sessions, options);
  const server = createServer((request, response) => {
    mock.serve(request, response, (server.address() as AddressInfo).port).catch(() => response.destroy());
  });
  limitConnections(server, MAX_CONNECTIONS);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(toUserError(error, options.port)));
    server.listen(options.port ?? 0, LOOPBACK, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toUserError(error: NodeJS.ErrnoException, port: number | undefined): Error {
  if (error.code !== "EADDRINUSE" && error.code !== "EACCES") return error;
  return new UserError("busy", `port ${port} cannot be used (${error.code})`, "name another one, or omit --port");
}

class Mock {
  readonly #finder: AnswerFinder;
  readonly #asides: AsideAnswers;
  readonly #faults: FaultPlan;
  #requests = 0;

  constructor(
    sessions: readonly RecordedSession[],
    private readonly options: MockOptions,
  ) {
    this.#finder = new AnswerFinder(sessions.flatMap(({ dialogues }) => dialogues));
    this.#asides = new AsideAnswers(sessions);
    this.#faults = new FaultPlan(options.faults ?? []);
  }

  async serve(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    const path = (request.url ?? "").split("?")[0];
    if (!isAllowedHost(request.headers.host, LOOPBACK, port))
      return sendError(response, 403, "unrecognized Host header");
    if (path === "/" && request.method !== "POST") return void response.end();
    const isMessage = path === "/v1/messages";
    if (request.method !== "POST" || !(isMessage || path === "/v1/messages/count_tokens"))
      return sendError(response, 404, `not found: ${request.method} ${path}`);
    const text = await readBody(request);
    if (text === undefined) return sendError(response, 413, "the request is too large");
    const body = tryParseJson(text);
    if (!isObject(body) || !Array.isArray(body["messages"]))
      return sendError(response, 400, "messages: field required");
    if (isMessage) await this.#answer(body, response);
    else sendJson(response, 200, { input_tokens: Math.ceil(text.length / 4) });
  }

  async #answer(body: JsonObject, response: ServerResponse): Promise<void> {
    this.#requests += 1;
    const request = readRequest(body);
    const said = request.texts.at(-1) ?? `results of ${request.results.length} calls`;
    const note = (how: ServedRequest["how"], answer?: RecordedAnswer) =>
      this.options.onRequest?.({
        number: this.#requests,
        how,
        agentId: answer?.agentId ?? null,
        answer: answer ? answer.index + 1 : null,
        said: said.slice(0, SAID_LENGTH),
      });
    const fault = this.#faults.at(this.#requests);
    if (fault?.kind === "status") {
      note("fault");
      return sendError(response, fault.status, "a fault that turnlog mock was asked for");
    }
    const aside = this.#asides.answer(body);
    const match = aside === undefined ? this.#finder.find(request, this.options.isStrict ?? false) : undefined;
    if (aside === undefined && !match && this.options.isStrict) {
      note("refused");
      return sendError(response, 400, `turnlog mock: no recorded answer follows "${said.slice(0, SAID_LENGTH)}"`);
    }
    note(fault ? "fault" : aside !== undefined ? "aside" : (match?.by ?? "end"), match?.answer);
    const answer = match?.answer ?? invent(aside ?? "The recorded session ends here.", body, this.#requests);
    if (body["stream"] === true) await this.#stream(answer, fault, response);
    else sendJson(response, 200, toMessage(answer));
  }

  async #stream(answer: RecordedAnswer, fault: Fault | undefined, response: ServerResponse): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...requestId() });
    const events = [...streamAnswer(answer)];
    const half = Math.floor(events.length / 2);
    for (const [at, { type, data, delayMs }] of events.entries()) {
      if (fault && at === half) return breakStream(fault, response);
      await this.#wait(delayMs, response);
      if (response.destroyed) return;
      if (!sendEvent(response, type, data)) await drained(response);
    }
    response.end();
  }

  async #wait(recordedMs: number, response: ServerResponse): Promise<void> {
    let left = recordedMs / (this.options.speed ?? 1);
    while (left >= 1 && !response.destroyed) {
      await sleep(Math.min(left, PING_MS));
      left -= PING_MS;
      if (left >= 1) sendEvent(response, "ping", {});
    }
  }
}

function breakStream(fault: Fault, response: ServerResponse): void {
  if (fault.kind === "cut") response.destroy();
  if (fault.kind !== "error") return;
  sendEvent(response, "error", { error: { type: "overloaded_error", message: "Overloaded" } });
  response.end();
}

function sendEvent(response: ServerResponse, type: string, data: JsonObject): boolean {
  return response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}

/** What no session recorded. */
function invent(text: string, body: JsonObject, number: number): RecordedAnswer {
  return {
    agentId: null,
    index: 0,
    before: { texts: [], results: [] },
    id: `msg_mock_${String(number).padStart(6, "0")}`,
    model: typeof body["model"] === "string" ? body["model"] : "unknown",
    blocks: [{ type: "text", text }],
    stopReason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
    waitsMs: [0],
  };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function sendError(response: ServerResponse, status: number, message: string): void {
  const error = { type: ERROR_TYPES[status] ?? "api_error", message };
  const retry = status === 429 || status === 529 ? { "retry-after": "1" } : {};
  sendJson(response, status, { type: "error", error }, retry);
}

function sendJson(response: ServerResponse, status: number, value: JsonObject, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...requestId(), ...headers });
  response.end(JSON.stringify(value));
}

let served = 0;

function requestId(): Record<string, string> {
  served += 1;
  return { "request-id": `req_mock_${String(served).padStart(6, "0")}` };
}

/** Undefined: too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString("utf8");
}
