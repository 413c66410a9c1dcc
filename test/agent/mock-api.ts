import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Fault, type Reply, streamReply } from "./mock-stream.js";
import { requestProblems, type SentRequest, ThinkingSeal } from "./request-rules.js";

export type Script = readonly (Reply | Fault)[] | ((request: SentRequest, index: number) => Reply | Fault);

export interface MockApi {
  readonly url: string;
  /** Every request that came, refused ones too. */
  readonly requests: readonly SentRequest[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** Those for a title, which are no part of a script. */
  readonly titleRequests: readonly SentRequest[];
  /** What the API would have refused, all requests together. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

const TITLE: Reply = { blocks: [{ text: '"A title from the model."\n' }], inputTokens: 0, outputTokens: 0 };

/** The Messages API on loopback: it plays a script, and refuses what the real one refuses. `onEvent`: it sent one. */
export async function startMockApi(script: Script, onEvent: () => void = () => undefined): Promise<MockApi> {
  const requests: SentRequest[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const titleRequests: SentRequest[] = [];
  const problems: string[] = [];
  const seal = new ThinkingSeal();
  // On a busy machine more than the usual five seconds may pass between two requests of one connection.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    void answer(incoming, outgoing).catch((error: unknown) => {
      problems.push(`the mock failed: ${String(error)}`);
      outgoing.destroy();
    });
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = JSON.parse(await readBody(incoming)) as SentRequest;
    if (isForTitle(body)) {
      titleRequests.push(body);
      return streamReply(TITLE, { outgoing, index: 0, seal, model: body.model, onEvent: () => undefined });
    }
    const index = requests.length;
    requests.push(body);
    headers.push(incoming.headers);
    const found = [...requestProblems(body), ...seal.problems(body)];
    problems.push(...found.map((problem) => `request ${index}: ${problem}`));
    if (!incoming.headers.authorization) return refuse(outgoing, 401, "authentication_error", "no key");
    if (found[0] !== undefined) return refuse(outgoing, 400, "invalid_request_error", found[0]);
    const reply = typeof script === "function" ? script(body, index) : script[index];
    if (!reply) return refuse(outgoing, 400, "invalid_request_error", `the script has no reply ${index}`);
    await streamReply(reply, { outgoing, index, seal, model: body.model, onEvent });
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    headers,
    titleRequests,
    problems,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** A chat on a terminal asks for one beside its first turn: no part of any script. */
function isForTitle({ system }: SentRequest): boolean {
  return JSON.stringify(system).includes("You find titles");
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces).toString();
}

function refuse(outgoing: ServerResponse, status: number, type: string, message: string): void {
  outgoing.writeHead(status, { "content-type": "application/json", "request-id": "req_refused" });
  outgoing.end(JSON.stringify({ type: "error", error: { type, message } }));
}
