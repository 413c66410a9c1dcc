// A Messages API on loopback that gives every request the same short answer, and keeps what was asked.
import { createServer } from "node:http";
import { findRefusals } from "./api-rules.mjs";

const ANSWER = "Understood.";
const USAGE = { input_tokens: 10, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** `requests` holds the bodies of all requests for messages, in order. */
export async function startMockApi() {
  const requests = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const isMessages = request.method === "POST" && request.url?.startsWith("/v1/messages");
    if (!isMessages) return sendJson(response, request.url === "/" ? 200 : 404, {});
    const body = JSON.parse(text);
    if (request.url.includes("count_tokens")) return sendJson(response, 200, { input_tokens: text.length >> 2 });
    requests.push(body);
    const [refusal] = findRefusals(body);
    if (refusal) return sendJson(response, 400, toError(refusal));
    return body.stream ? sendStream(response, body) : sendJson(response, 200, toMessage(body, [textBlock(ANSWER)]));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

function textBlock(text) {
  return { type: "text", text };
}

function toMessage({ model }, content, stopReason = "end_turn") {
  const id = `msg_mock${Math.random().toString(36).slice(2)}`;
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: USAGE,
  };
}

function toError(message) {
  return { type: "error", error: { type: "invalid_request_error", message } };
}

function sendJson(response, status, json) {
  response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
  response.end(JSON.stringify(json));
}

function sendStream(response, body) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send("message_start", { message: toMessage(body, [], null) });
  send("content_block_start", { index: 0, content_block: textBlock("") });
  send("content_block_delta", { index: 0, delta: { type: "text_delta", text: ANSWER } });
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 3 } });
  send("message_stop", {});
  response.end();
}
