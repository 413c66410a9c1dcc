// A Messages API on loopback that gives every request the same short answer, or what a script says, and keeps what was asked.
import { createServer } from "node:http";
import { findRefusals } from "./api-rules.mjs";

const ANSWER = "Understood.";
const USAGE = { input_tokens: 10, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/**
 * `requests` holds the bodies of all requests for messages, in order; `reply` gives the blocks of the answer to one, or a promise of
 * them; `outputTokens` is what each answer says that it cost.
 */
export async function startMockApi(reply = () => [textBlock(ANSWER)], { outputTokens = USAGE.output_tokens } = {}) {
  const usage = { ...USAGE, output_tokens: outputTokens };
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
    const blocks = await reply(body);
    return body.stream
      ? sendStream(response, body, blocks, usage)
      : sendJson(response, 200, toMessage(body, blocks, stopReason(blocks), usage));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

export function textBlock(text) {
  return { type: "text", text };
}

function toMessage({ model }, content, reason, usage) {
  const id = `msg_mock${Math.random().toString(36).slice(2)}`;
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: reason,
    stop_sequence: null,
    usage,
  };
}

function stopReason(blocks) {
  return blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
}

function toError(message) {
  return { type: "error", error: { type: "invalid_request_error", message } };
}

function sendJson(response, status, json) {
  response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
  response.end(JSON.stringify(json));
}

function sendStream(response, body, blocks, usage) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const { output_tokens } = usage;
  send("message_start", {
    message: toMessage(body, [], null, { ...usage, output_tokens: Math.min(output_tokens, 3) }),
  });
  for (const [index, block] of blocks.entries()) {
    const { start, deltas } = toEvents(block);
    send("content_block_start", { index, content_block: start });
    for (const delta of deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  const delta = { stop_reason: stopReason(blocks), stop_sequence: null };
  send("message_delta", { delta, usage: { output_tokens } });
  send("message_stop", {});
  response.end();
}

/** A block as it comes through a stream: first without its content, then the content. */
function toEvents(block) {
  switch (block.type) {
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: block.thinking },
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "tool_use":
      return {
        start: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }],
      };
    default:
      return { start: textBlock(""), deltas: [{ type: "text_delta", text: block.text }] };
  }
}
