import { shortUsage } from "./clients.mjs";

const TOKENS_PER_SECOND = 90;

/** Writes API messages as clients do: one record per block, each with the counters of the whole. */
export function messageWriter({ transcript, meter, ledger, space, model, thinking }) {
  const { ids, clock, client, node } = transcript;

  function count(text, thought) {
    const usage = meter.message(text, thought);
    ledger.add(model, usage);
    clock.pass(usage.thinking / TOKENS_PER_SECOND);
    return usage;
  }

  /** Gives the message's id; calls among the blocks get their `id` and `uuid`. */
  function writeMessage(blocks, stopReason) {
    const contents = blocks.map((block) => toContent(block, { ids, client, space }));
    const usage = count(contents.map((content) => JSON.stringify(content)).join(""), ids.between(...thinking));
    const message = { id: `msg_01${ids.token(22)}`, stopReason, usage, isLucky: ids.between(0, 1) === 1 };
    const requestId = `req_011${ids.token(21)}`;
    contents.forEach((content, index) => {
      const uuid = ids.uuid();
      blocks[index].uuid = uuid;
      backUpChanges(blocks[index].changes, uuid);
      clock.pass(0.4);
      writeBlock(content, { ...message, requestId, index, isLast: index === contents.length - 1, uuid });
    });
    return message.id;
  }

  function writeBlock(content, { id, stopReason, usage, isLucky, requestId, index, isLast, uuid }) {
    const recorded = client.usage(usage, { isLast, isLucky });
    const end = { stop_reason: recorded.stops ? stopReason : null, stop_sequence: null, usage: recorded.usage };
    const message = { id, type: "message", role: "assistant", model, content: [content], ...end };
    const numbered = client.isNew ? { apiBlockIndex: index, requestId, requestedModel: model } : { requestId };
    node({ message, ...numbered, type: "assistant" }, { uuid });
  }

  /** Before its first change of a file the client puts the old content aside. */
  function backUpChanges(path, messageId) {
    if (path !== undefined && !space.isTracked(path)) transcript.noteFirstChange?.(path, messageId);
  }

  /** What had arrived when Esc was pressed; its size is not known. */
  function writeAborted(text) {
    const id = `msg_01${ids.token(22)}`;
    const end = { stop_reason: null, stop_sequence: null, usage: shortUsage(count(text, 0), 1) };
    const message = { id, type: "message", role: "assistant", model, content: [{ type: "text", text }], ...end };
    node({ message, apiBlockIndex: 0, type: "assistant", isAbortedMidStream: true });
    return id;
  }

  return { writeMessage, writeAborted };
}

function toContent(block, { ids, client, space }) {
  if (block.kind === "text") return { type: "text", text: block.text };
  if (block.kind === "thinking") {
    const signature = Buffer.from(`demo signature of ${block.text.length} characters`).toString("base64");
    return { type: "thinking", thinking: block.text, signature };
  }
  block.id = `toolu_01${ids.token(22)}`;
  const name = typeof block.name === "function" ? block.name(client) : block.name;
  const input = typeof block.input === "function" ? block.input(space) : block.input;
  return { type: "tool_use", id: block.id, name, input };
}
