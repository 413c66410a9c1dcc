// An edit against its source, both as the same client sends them: nothing is missing that should stay, nothing comes back.
import { blocksOf } from "./api-rules.mjs";
import { readWords, squeeze, textsOf } from "./source-words.mjs";

const SHORTEST_PART = 8;
const REMINDER = "<system-reminder>";
/** In recordings, long texts of the client are replaced by this; nobody can tell one from another. */
const FILLER = "lorem ipsum dolor";

/**
 * What is wrong with the request of an edit; null: nothing. `originals`: what this version sends of the source, and what the newest
 * does; only what both send is asked for, since older ones may follow another branch. `keeps`: "all", "people" (what the model said
 * may be summed up), or "none" (words change); `isKept` says of a line whether the edit keeps its turn.
 */
export function compareWithSource(exchange, originals, { edit, file, source, told }) {
  const words = readWords(source);
  const { keeps = "all", calls = "all", isKept = () => true } = edit;
  const requests = originals.map(({ messages }) => messages ?? []);
  const said = textsOf(exchange.messages);
  const judged = [...(keeps === "none" ? [] : words.people), ...(keeps === "all" ? words.model : [])];
  // History that was written again stands in two places: then a line does not tell its turn.
  const dropped = new Set(judged.filter(({ line }) => !isKept(line, told)).map(({ text }) => text));
  const isSent = requests.map(sentIn);
  const wanted = judged.filter(({ text }) => !dropped.has(text) && isSent.every((sends) => sends(text)));
  const missing = wanted.find(({ text }) => !said.includes(text));
  if (missing) return `said in line ${missing.line} of the source and not sent: ${missing.text.slice(0, 100)}`;
  return (
    findLostCall(exchange.messages, requests, { calls, words }) ??
    (keeps === "none" ? null : findReturned(exchange, words, readWords(file)))
  );
}

/** What a person typed may be a part of a longer text; a short one is a part of many. */
function sentIn(messages) {
  const sent = textsOf(messages);
  const blocks = new Set(messages.flatMap(blocksOf).flatMap(textsIn).map(squeeze));
  return (text) => blocks.has(text) || (text.length >= SHORTEST_PART && sent.includes(text));
}

/** `calls`: "all" stay, "none" but those in which a person said something, or "some". One without result is the client's to complete. */
function findLostCall(messages, requests, { calls, words }) {
  const left = callsIn(messages);
  const [own = [], ...others] = requests.map((request) => [...callsIn(request)]);
  const shared = own.filter((id) => others.every((ids) => ids.includes(id)) && words.answered.has(id));
  if (calls === "none") {
    const extra = shared.find((id) => left.has(id) && !words.callsWithWords.has(id));
    return extra ? `the call ${extra} is sent` : null;
  }
  const lost = calls === "all" ? shared.find((id) => !left.has(id)) : undefined;
  return lost ? `the call ${lost} is not sent` : null;
}

function callsIn(messages) {
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
