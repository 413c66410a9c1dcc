import { messageWriter } from "./message-writer.mjs";

const INTERRUPTED_TOOL = "[Request interrupted by user for tool use]";
const INTERRUPTED = "[Request interrupted by user]";

/** Prompts, answers and tool results of one chain: a session's own, or a sub-agent's. */
export function openConversation({ transcript, meter, space, launch, outputFile, ...rest }) {
  const { ids, clock, client, node } = transcript;
  const writer = messageWriter({ transcript, meter, space, ...rest });
  let promptId = ids.uuid();

  function userLine(content, extra = {}, place = {}) {
    const known = client.isNew ? { promptId } : {};
    return node({ ...known, type: "user", message: { role: "user", content }, ...extra }, place);
  }

  /** All calls of a message start together; their results are written as they finish. */
  function runCalls(calls, messageId) {
    const started = clock.epoch();
    const run = (call) => call.run({ space, client, launch, outputFile, id: call.id });
    const results = calls.map((call) => ({ call, result: run(call) }));
    for (const { call, result } of results.toSorted((a, b) => a.call.seconds - b.call.seconds)) {
      clock.pass(Math.max(0, call.seconds - (clock.epoch() - started) / 1000));
      resultLine(call, result);
      if (call.stops) interruptLine(INTERRUPTED_TOOL, messageId);
    }
  }

  function resultLine(call, { content, isError, data, extra = {} }) {
    const known = isError === undefined ? {} : { is_error: isError };
    const block = { tool_use_id: call.id, type: "tool_result", content, ...known };
    meter.read(typeof content === "string" ? content : JSON.stringify(content));
    const source = client.namesSource ? { sourceToolAssistantUUID: call.uuid } : {};
    const place = client.namesSource ? { parentUuid: call.uuid } : {};
    userLine([block], { toolUseResult: data, ...extra, ...source }, place);
  }

  function interruptLine(text, messageId) {
    userLine([{ type: "text", text }], client.isNew ? { interruptedMessageId: messageId } : {});
  }

  return {
    userLine,
    newPrompt() {
      promptId = ids.uuid();
    },
    answer(...blocks) {
      const calls = blocks.filter(({ kind }) => kind === "call");
      clock.pass(1.5 + blocks.length * 0.8);
      runCalls(calls, writer.writeMessage(blocks, calls.length > 0 ? "tool_use" : "end_turn"));
    },
    /** Esc while the model writes. */
    abortedAnswer(text) {
      clock.pass(4);
      interruptLine(INTERRUPTED, writer.writeAborted(text));
    },
  };
}
