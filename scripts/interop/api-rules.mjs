// What the Messages API refuses in a request, as far as sessions can cause it.

const FIELDS = {
  text: ["type", "text", "citations", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input", "caller", "cache_control"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
  image: ["type", "source", "cache_control"],
  document: ["type", "source", "title", "context", "citations", "cache_control"],
};

export function findRefusals({ messages = [] }) {
  const turns = joinNeighbours(messages);
  return [
    ...(turns[0]?.role === "user" ? [] : ["the first message is not the user's"]),
    ...turns.flatMap(({ content }, at) => (content.length > 0 ? [] : [`message ${at} is empty`])),
    ...turns.flatMap(({ role, content }, at) => content.flatMap((block) => checkBlock(block, role, at))),
    ...turns.flatMap(checkPairs),
    ...findRepeated(turns.flatMap(callIds)).map((id) => `the call ${id} occurs twice`),
    ...turns.flatMap(({ role, content }, at) =>
      role === "assistant" && content.at(-1)?.type?.endsWith("thinking") ? [`message ${at} ends with thinking`] : [],
    ),
  ];
}

export function blocksOf({ content }) {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

/** Messages of the system stand between turns and are none. */
function joinNeighbours(messages) {
  const turns = [];
  for (const message of messages.filter(({ role }) => role !== "system")) {
    const last = turns.at(-1);
    if (last?.role === message.role) last.content.push(...blocksOf(message));
    else turns.push({ role: message.role, content: [...blocksOf(message)] });
  }
  return turns;
}

function checkBlock(block, role, at) {
  const known = FIELDS[block.type];
  const extra = known ? Object.keys(block).filter((key) => !known.includes(key)) : [];
  const isAnswerOnly = ["thinking", "redacted_thinking", "tool_use"].includes(block.type);
  const isMisplaced = (role === "user" && isAnswerOnly) || (role === "assistant" && block.type === "tool_result");
  return [
    ...extra.map((name) => `message ${at}: ${block.type} with the field ${name}`),
    ...(isMisplaced ? [`message ${at}: ${block.type} of role ${role}`] : []),
    ...(block.type === "text" && !block.text?.trim() ? [`message ${at}: empty text`] : []),
    ...(block.type === "thinking" && !block.signature ? [`message ${at}: unsigned thinking`] : []),
  ];
}

function callIds({ content }) {
  return content.filter(({ type }) => type === "tool_use").map(({ id }) => id);
}

function resultIds({ content }) {
  return content.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id }) => id);
}

function checkPairs(turn, at, turns) {
  const asked = new Set(at > 0 && turn.role === "user" ? callIds(turns[at - 1]) : []);
  const given = resultIds(turn);
  const next = new Set(turns[at + 1] ? resultIds(turns[at + 1]) : []);
  return [
    ...given.filter((id) => !asked.has(id)).map((id) => `message ${at}: a result for ${id}, which was not called`),
    ...findRepeated(given).map((id) => `message ${at}: two results for ${id}`),
    ...callIds(turn)
      .filter((id) => !next.has(id))
      .map((id) => `message ${at}: no result for ${id}`),
  ];
}

function findRepeated(ids) {
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
}
