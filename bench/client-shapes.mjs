/**
 * Records in the shapes and key orders of three clients.
 * @typedef {import("./random.mjs").Random} Random
 * @typedef {"2.0.50" | "2.1.45" | "2.1.325"} ClientVersion
 * @typedef {{ version: ClientVersion, sessionId: string, cwd: string, agentId?: string }} Origin
 * @typedef {{ input: number, output: number, cacheRead: number, cacheWrite: number }} Spent
 */

/** Old clients write the envelope first, new ones most of it last. @param {Origin} origin @param {string | null} parentUuid @param {object} body */
export function toNode({ version, sessionId, cwd, agentId }, parentUuid, body) {
  const chain = { parentUuid, isSidechain: agentId !== undefined, ...(agentId && { agentId }) };
  const place = { cwd, sessionId, version, gitBranch: "main" };
  if (version !== "2.1.325") return { ...chain, userType: "external", ...place, ...body };
  return { ...chain, ...body, userType: "external", entrypoint: "cli", ...place };
}

/** @param {ClientVersion} version @param {{ id: string, model: string, block: object, stopReason: string | null, usage: object }} line */
export function toWireMessage(version, { id, model, block, stopReason, usage }) {
  const start = { id, type: "message", role: "assistant", model, content: [block], stop_reason: stopReason };
  return { ...start, stop_sequence: null, usage, ...(version === "2.1.325" && { stop_details: null }) };
}

/** @param {ClientVersion} version @param {Spent} spent @param {number} output What this line says about the output. */
export function toWireUsage(version, spent, output) {
  const split = { ephemeral_5m_input_tokens: spent.cacheWrite - 100, ephemeral_1h_input_tokens: 100 };
  const input = {
    input_tokens: spent.input,
    cache_creation_input_tokens: spent.cacheWrite,
    cache_read_input_tokens: spent.cacheRead,
  };
  const tier = { service_tier: "standard", inference_geo: "not_available" };
  if (version !== "2.1.325") return { ...input, cache_creation: split, output_tokens: output, ...tier };
  return {
    ...input,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    ...tier,
    cache_creation: split,
    iterations: [],
    speed: "standard",
    fallback_credit: null,
  };
}

/** What 2.1.325 says about the call on every line of its answer. @param {Random} random @param {ClientVersion} version @param {number} apiBlockIndex @param {string} requestedModel */
export function toCallDetails(random, version, apiBlockIndex, requestedModel) {
  if (version !== "2.1.325") return {};
  const effort = { effort: "medium", perTurnEffort: "medium", madeBy: "model" };
  return { apiBlockIndex, requestRef: random.uuid(), requestedModel, promptCacheRequested: "5m", ...effort };
}

/**
 * What a line of a message knows of its end: 2.1.325 all, 2.0.50 only the last line, 2.1.45 never the stop reason and the
 * output at most on the last line.
 * @param {ClientVersion} version @param {{ output: number, stopReason: string }} end @param {boolean} isLast
 */
export function knownOfEnd(version, { output, stopReason }, isLast) {
  if (version === "2.1.45") return { output: isLast && output % 2 === 0 ? output : 1, stopReason: null };
  if (version === "2.0.50" && !isLast) return { output: 1, stopReason: null };
  return { output, stopReason };
}

/** Foreign writers: another key order, white space between tokens. @param {Random} random @param {object} record */
export function printAsForeigner(random, record) {
  const shuffled = Object.entries(record)
    .map((entry) => ({ entry, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
  return JSON.stringify(Object.fromEntries(shuffled), null, 1).replaceAll(/\n */g, " ");
}
