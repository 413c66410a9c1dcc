import { openConversation } from "./conversation.mjs";
import { openMeter, tokensOf } from "./meter.mjs";
import { openTranscript } from "./transcript.mjs";

/** Plays a sub-agent's conversation into a file of its own, where its client version puts it. */
export function agentLauncher({ ids, clock, client, origin, space, ledger, files, model: ownModel, outputFile }) {
  return function launch({ type, description, prompt, model = ownModel, tell, toolUseId }) {
    const agentId = (client.version === "2.0.50" ? "" : "a") + ids.hex(client.agentIdLength);
    const transcript = openTranscript({ ids, clock, client, origin, agentId });
    const meter = openMeter(7_900);
    const started = clock.epoch();
    const talk = openConversation({ transcript, meter, ledger, space, model, thinking: [20, 180], launch, outputFile });
    clock.pass(0.4);
    meter.read(prompt);
    if (client.version !== "2.0.50") talk.userLine(prompt);
    const report = tell(talk);
    const name = client.version === "2.0.50" ? `agent-${agentId}` : `${origin.sessionId}/subagents/agent-${agentId}`;
    files.set(`${name}.jsonl`, transcript.text());
    if (client.isNew)
      files.set(`${name}.meta.json`, `${JSON.stringify(toMeta({ type, description, toolUseId, model }))}\n`);
    const calls = transcript.text().split('"type":"tool_use"').length - 1;
    return toResult({
      agentId,
      calls,
      type,
      prompt,
      report,
      model,
      meter,
      client,
      milliseconds: clock.epoch() - started,
    });
  };
}

function toMeta({ type, description, toolUseId, model }) {
  const shape = { spawnDepth: 1, requestShape: "foreground", requestNonInteractive: false, pickedEffortModel: model };
  return { agentType: type, isBuiltIn: true, description, toolUseId, ...shape, finished: true };
}

function toResult({ agentId, calls, type, prompt, report, model, meter, client, milliseconds }) {
  const content = [{ type: "text", text: report }];
  const known = client.isNew ? { agentType: type, resolvedModel: model } : {};
  const totals = {
    totalDurationMs: milliseconds,
    totalTokens: meter.context() + tokensOf(report),
    totalToolUseCount: calls,
  };
  return { content, data: { status: "completed", prompt, agentId, content, ...known, ...totals } };
}
