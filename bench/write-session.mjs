import { knownOfEnd, toCallDetails, toNode, toWireMessage, toWireUsage } from "./client-shapes.mjs";
import { sampleToolCall } from "./tool-samples.mjs";

/**
 * @typedef {import("./client-shapes.mjs").Origin} Origin
 * @typedef {import("./random.mjs").Random} Random
 * @typedef {import("./sample-text.mjs").SampleText} SampleText
 * @typedef {(record: object) => number} WriteRecord Returns the length of the line.
 * @typedef {{
 *   origin: Origin, random: Random, text: SampleText, model: string, startedAt: number, targetBytes: number,
 *   writeRecord: WriteRecord, openAgent?: (agentId: string) => { record: WriteRecord, close: (lastTimeMs?: number) => void },
 * }} SessionPlan
 * @typedef {ReturnType<typeof startSession>} Session
 */

/** Writes turns until the session has its size; what a turn holds follows what real sessions hold. @param {SessionPlan} plan @returns {number} The time of its last record. */
export function writeSession(plan) {
  const session = startSession(plan);
  if (plan.origin.version === "2.1.325") writeStart(session);
  do writeTurn(session);
  while (session.written() < plan.targetBytes);
  if (plan.origin.agentId === undefined) writeSideRecords(session);
  return Date.parse(session.now());
}

/** @param {SessionPlan} plan */
function startSession(plan) {
  const { origin, random, writeRecord } = plan;
  /** @type {string | null} */
  let parent = null;
  let clock = plan.startedAt;
  let written = 0;
  let cacheRead = random.between(9_000, 20_000);
  return {
    ...plan,
    written: () => written,
    /** @param {number} tokens */
    growCache: (tokens) => {
      cacheRead = (cacheRead + tokens) % 180_000;
      return cacheRead;
    },
    now: () => {
      clock += random.between(20, 9_000);
      return new Date(clock).toISOString();
    },
    /** @param {object} record */
    side: (record) => {
      written += writeRecord(record);
    },
    /** @param {object} body */
    node: (body) => {
      const uuid = random.uuid();
      written += writeRecord(toNode(origin, parent, { ...body, uuid, timestamp: new Date(clock).toISOString() }));
      parent = uuid;
      return uuid;
    },
  };
}

/** What 2.1.325 writes before the first answer: 80 KB and more. @param {Session} session */
function writeStart(session) {
  const { origin, text, random } = session;
  session.side({ type: "mode", mode: "normal", sessionId: origin.sessionId });
  for (const type of ["environment", "model", "skill_listing", "session_context"]) {
    const attachment = { type, content: text.lines("prose", 1200) };
    session.node({ attachment, type: "attachment", rendered: [{ content: text.lines("prose", 900) }] });
  }
  writePromptSnapshot(session);
  const tools = Array.from({ length: 14 }, () => ({ name: text.word(), description: text.lines("prose", 3000) }));
  const shape = { system: [{ type: "text", text: text.lines("prose", 9000) }], tools };
  session.side({ type: "api-request-shape", sessionId: origin.sessionId, shapeHash: random.hex(64), shape });
}

/** @param {Session} session */
function writePromptSnapshot({ node, text }) {
  node({ attachment: { type: "prompt_snapshot", systemPrompt: [text.lines("prose", 27_000)] }, type: "attachment" });
}

/** @param {Session} session */
function writeTurn(session) {
  const { random, text, origin, now } = session;
  now();
  const prompt = text.lines("prose", random.skewed(180, 1));
  const messageId = session.node({ type: "user", message: { role: "user", content: prompt } });
  const snapshot = { messageId, trackedFileBackups: {}, timestamp: now() };
  session.side({ type: "file-history-snapshot", messageId, snapshot, isSnapshotUpdate: false });
  if (origin.version === "2.1.325" && random.chance(0.1)) writePromptSnapshot(session);
  const steps = Math.round(random.skewed(5, 0.7));
  for (let step = 0; step < steps && session.written() < session.targetBytes; step++) writeStep(session, false);
  writeStep(session, true);
}

/** One API message and the results of its tool calls. @param {Session} session @param {boolean} isLast */
function writeStep(session, isLast) {
  const { random, text, origin } = session;
  const calls = isLast ? [] : Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => toolCall(session));
  const answer = { type: "text", text: text.lines("prose", random.skewed(isLast ? 900 : 160, 0.8)) };
  const blocks = [
    ...(random.chance(0.5) ? [thinking(random, text)] : []),
    ...(isLast || random.chance(0.4) ? [answer] : []),
    ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
  if (origin.version === "2.1.325") writeRequest(session);
  writeMessage(session, blocks, isLast ? "end_turn" : "tool_use");
  for (const call of calls) writeResult(session, call);
  if (random.chance(0.004)) writeApiError(session);
}

/** @param {Session} session */
function toolCall({ random, text }) {
  return { id: random.id("toolu_01", 22), ...sampleToolCall(random, text) };
}

/** @param {Random} random @param {SampleText} text */
function thinking(random, text) {
  const thought = text.lines("prose", random.skewed(350, 0.9));
  return { type: "thinking", thinking: thought, signature: random.id("Eq", Math.round(thought.length * 0.9)) };
}

/** @param {Session} session */
function writeRequest({ origin, random, text, model, side, now }) {
  const { sessionId } = origin;
  const content = [{ type: "text", text: text.lines("prose", random.skewed(500, 1)) }];
  const message = { role: random.pick(["user", "assistant"]), content };
  side({ type: "api-request-blob", sessionId, hash: random.hex(64), message });
  const tail = Array.from({ length: 8 }, () => random.hex(64));
  side({ type: "api-request", sessionId, id: random.uuid(), timestamp: now(), params: { model }, tail });
}

/** One line per block, the usage of the message on every line. @param {Session} session @param {object[]} blocks @param {string} stopReason */
function writeMessage(session, blocks, stopReason) {
  const { random, model, origin } = session;
  const { version } = origin;
  const id = random.id("msg_01", 22);
  const request = random.chance(0.97) ? { requestId: random.id("req_011C", 20) } : {};
  const cacheWrite = random.between(300, 6_000);
  const output = random.between(40, 1_800);
  const spent = { input: random.between(2, 12), output, cacheWrite, cacheRead: session.growCache(cacheWrite) };
  for (const [index, block] of blocks.entries()) {
    session.now();
    const known = knownOfEnd(version, { output, stopReason }, index === blocks.length - 1);
    const usage = toWireUsage(version, spent, known.output);
    const message = toWireMessage(version, { id, model, block, stopReason: known.stopReason, usage });
    session.node({ message, ...toCallDetails(random, version, index, model), ...request, type: "assistant" });
  }
}

/** @param {Session} session @param {ReturnType<typeof toolCall>} call */
function writeResult(session, { id, content, toolUseResult }) {
  const { random, origin, openAgent } = session;
  session.now();
  if (origin.version === "2.1.45" && random.chance(0.3)) writeHookProgress(session, id);
  const report = openAgent && random.chance(0.012) ? writeAgent(session, openAgent) : undefined;
  const block = { tool_use_id: id, type: "tool_result", content: report?.content ?? content };
  session.node({ type: "user", message: { role: "user", content: [block] }, toolUseResult: report ?? toolUseResult });
}

/** @param {Session} session @param {string} toolUseID */
function writeHookProgress(session, toolUseID) {
  const data = {
    type: "hook_progress",
    hookEvent: "PostToolUse",
    hookName: "PostToolUse:Edit",
    command: "npm run lint",
  };
  session.node({ type: "progress", data, parentToolUseID: toolUseID, toolUseID });
}

/** A sub-agent's own file; 2.1.45 also copies its records into the parent. @param {Session} session @param {NonNullable<SessionPlan["openAgent"]>} openAgent */
function writeAgent(session, openAgent) {
  const { random, text, origin } = session;
  const { openAgent: _, ...plan } = session;
  const agentId = `a${random.hex(6)}`;
  const out = openAgent(agentId);
  /** @param {object} record */
  const copyToParent = (record) => {
    session.node({
      type: "progress",
      data: { message: record, normalizedMessages: [], type: "agent_progress", agentId },
    });
    return out.record(record);
  };
  const writeRecord = origin.version === "2.1.45" ? copyToParent : out.record;
  const startedAt = Date.parse(session.now());
  const endedAt = writeSession({
    ...plan,
    origin: { ...origin, agentId },
    targetBytes: 40_000,
    startedAt,
    writeRecord,
  });
  out.close(endedAt);
  const spent = { input: 4, output: random.between(40, 900), cacheRead: 16_500, cacheWrite: 845 };
  const content = [{ type: "text", text: text.lines("prose", 1500) }];
  return { status: "completed", agentId, content, usage: toWireUsage(origin.version, spent, spent.output) };
}

/** @param {Session} session */
function writeApiError({ random, origin, node }) {
  const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const block = { type: "text", text: "API Error: 529 Overloaded" };
  const line = { id: random.uuid(), model: "<synthetic>", block, stopReason: "stop_sequence", usage };
  node({ message: toWireMessage(origin.version, line), type: "assistant", error: "unknown", isApiErrorMessage: true });
}

/** @param {Session} session */
function writeSideRecords({ origin, side, text }) {
  const { sessionId, version } = origin;
  if (version === "2.0.50")
    side({ type: "queue-operation", operation: "enqueue", content: text.sentence(), sessionId });
  else side({ type: "custom-title", customTitle: `${text.word()}-${text.word()}`, sessionId });
  if (version === "2.1.325") side({ type: "last-prompt", lastPrompt: text.sentence(), sessionId });
}
