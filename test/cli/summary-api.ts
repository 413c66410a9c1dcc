import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface SummaryApi {
  readonly url: string;
  readonly requests: string[];
}

/** The Messages API on loopback: gives every request the same answer; those that hold `failing` get an error. */
export async function startSummaryApi(text: string, failing?: string, stopReason = "end_turn"): Promise<SummaryApi> {
  const requests: string[] = [];
  const answer = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-haiku-4-5",
    content: [{ type: "text", text }],
    stop_reason: stopReason,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const error = { type: "error", error: { type: "invalid_request_error", message: "prompt refused" } };
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    requests.push(body);
    const isFailing = failing !== undefined && body.includes(failing);
    response.writeHead(isFailing ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isFailing ? error : answer));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
