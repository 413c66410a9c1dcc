// An edit against its source, both as the same client sends them: nothing is missing that should stay, nothing comes back.
import { blocksOf } from "./api-rules.mjs";
import { readWords, squeeze, textsOf } from "./source-words.mjs";

const SHORTEST_PART = 8;
const REMINDER = "<system-reminder>";
/** In recordings, long texts of the client are replaced by this; nobody can tell one from another. */
const FILLER = "lorem ipsum dolor";

/**
 * What is wrong with the request of an edit, given that of its source; null: nothing. `keeps`: "all", "people" (what the model said
 * may be summed up), or "none" (words change); `isKept` says of a line whether the edit keeps its turn.
 */
export function compareWithSource(exchange, original, { edit, file, source, told }) {
  const words = readWords(source);
  const { keeps = "all", calls = "all", isKept = () => true } = edit;
  const said = textsOf(exchange.messages);
  const sent = textsOf(original.messages);
  const blocks = new Set(original.messages.flatMap(blocksOf).flatMap(textsIn).map(squeeze));
  const judged = [...(keeps === "none" ? [] : words.people), ...(keeps === "all" ? words.model : [])];
  // History that was written again stands in two places: then a line does not tell its turn.
  const dropped = new Set(judged.filter(({ line }) => !isKept(line, told)).map(({ text }) => text));
  const wanted = judged.filter(({ text }) => !dropped.has(text) && (blocks.has(text) || isLongIn(text, sent)));
  const missing = wanted.find(({ text }) => !said.includes(text));
  if (missing) return `said in line ${missing.line} of the source and not sent: ${missing.text.slice(0, 100)}`;
  return (
    findLostCall(exchange, original, { calls, words }) ??
    (keeps === "none" ? null : findReturned(exchange, words, readWords(file)))
  );
}

/** What a person typed may be a part of a longer text; a short one is a part of many. */
function isLongIn(text, sent) {
  return text.length >= SHORTEST_PART && sent.includes(text);
}

/** A call without result is the client's to complete or to leave out. */
function findLostCall(exchange, original, { calls, words }) {
  const left = callsIn(exchange);
  const before = new Set([...callsIn(original)].filter((id) => words.answered.has(id)));
  if (calls === "none") {
    const extra = [...left].find((id) => before.has(id) && !words.callsWithWords.has(id));
    return extra ? `the call ${extra} is sent` : null;
  }
  const needed = calls === "all" ? [...before] : [...before].filter((id) => words.callsWithWords.has(id));
  const lost = calls === "some" ? undefined : needed.find((id) => !left.has(id));
  return lost ? `the call ${lost} is not sent` : null;
}

function callsIn({ messages }) {
  return new Set(messages.flatMap(blocksOf).flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])));
}

/** A text that is in the source, but not in the edit, can only come from what was removed. */
function findReturned({ messages }, source, edited) {
  const own = messages.filter(({ role }) => role !== "system");
  const texts = own.flatMap(blocksOf).flatMap(textsIn).map(squeeze);
  const isJudged = (text) => text !== "" && !text.startsWith(REMINDER) && !text.includes(FILLER);
  const returned = texts.find((text) => isJudged(text) && !edited.texts.includes(text) && source.texts.includes(text));
  return returned === undefined ? null : `what was removed is sent: ${returned.slice(0, 100)}`;
}

function textsIn(block) {
  if (block.type === "text") return [block.text];
  if (block.type !== "tool_result") return [];
  return typeof block.content === "string" ? [block.content] : (block.content ?? []).flatMap(({ text }) => text ?? []);
}
