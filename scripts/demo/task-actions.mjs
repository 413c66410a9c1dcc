/** What happens while the model works: messages typed meanwhile, background tasks that end, an API that refuses. */
export function taskActions({ ids, clock, client, meter, transcript, conversation, side, outputFile }) {
  const { node } = transcript;
  const { answer, userLine, newPrompt } = conversation;

  function queue(operation, fields = {}) {
    const { sessionId } = transcript.origin;
    transcript.sideWithoutSession({ type: "queue-operation", operation, timestamp: clock.now(), sessionId, ...fields });
  }

  function deliver(content, commandUuid, deliveryId) {
    queue("remove", { content, reason: "absorbed_mid_turn", commandUuid, deliveryId });
    const attachment = {
      type: "queued_command",
      prompt: content,
      source_uuid: commandUuid,
      delivery_id: deliveryId,
      commandMode: "prompt",
      origin: { kind: "human" },
      humanTurn: true,
    };
    const rendered = [{ content: `The user sent a new message while you were working:\n${content}` }];
    node({ attachment, type: "attachment", rendered, renderedRole: "system" });
  }

  return {
    /** The model calls tools, and a person types a message before they are done. */
    answerWhileTyping(content, ...blocks) {
      queue("enqueue", { content });
      answer(...blocks);
      meter.read(content);
      if (client.isNew) deliver(content, ids.uuid(), ids.uuid());
      else queue("remove");
    },
    /** The client says in the model's place what went wrong. */
    apiError(status, type, text) {
      clock.pass(38);
      const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
      const end = { stop_reason: "stop_sequence", stop_sequence: "", type: "message", usage };
      const content = [{ type: "text", text: `API Error: ${status} ${text}` }];
      const message = { id: ids.uuid(), model: "<synthetic>", role: "assistant", ...end, content };
      const known = client.isNew ? { apiErrorStatus: status, apiErrorType: type } : {};
      node({ type: "assistant", message, error: "server_error", isApiErrorMessage: true, ...known });
    },
    /** A prompt given on the command line. */
    printPrompt(content) {
      queue("enqueue", { content });
      queue("dequeue");
      meter.read(content);
      const uuid = userLine(content);
      side.afterPrompt(content, uuid, { isFirst: true });
    },
    notify({ taskId, id }, { status = "completed", summary }) {
      const named = client.isNew ? `<tool-use-id>${id}</tool-use-id>\n` : "";
      const text = `<task-notification>\n<task-id>${taskId}</task-id>\n${named}<output-file>${outputFile(taskId)}</output-file>\n<status>${status}</status>\n<summary>${summary}</summary>\n</task-notification>`;
      queue("enqueue", { content: text });
      queue("dequeue");
      newPrompt();
      side.beginTurn();
      meter.read(text);
      const origin = { origin: { kind: "task-notification" }, promptSource: "system", turnOrigin: "task_notification" };
      userLine(text, client.isNew ? origin : { permissionMode: "default" });
    },
  };
}
