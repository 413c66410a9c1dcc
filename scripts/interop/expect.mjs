// What a request must hold of some turns, and whether it does. Both sides are told as one text, so that order counts too.
import { blocksOf } from "./api-rules.mjs";
import { squeeze } from "./source-words.mjs";

const WORDS = 60;
const [CALL, RESULT] = ["[call ", "[result "];

/** What stands in the request, in its order: words, calls and results. */
export function flatten(messages) {
  return messages.flatMap(blocksOf).map(toText).join(" ");
}

/** The first of these tokens that is missing or out of order; undefined: all are there. Calls and results may stand in any order. */
export function findMissing(tokens, said) {
  let at = 0;
  for (const token of tokens) {
    if (isPart(token) && said.includes(token)) continue;
    const found = said.indexOf(token, at);
    if (found < 0) return `${said.includes(token) ? "out of order" : "not sent"}: ${token}`;
    at = found;
  }
  return undefined;
}

/** 2.1.325 sends the calls of a message behind its words; the API itself checks that results follow their calls. */
function isPart(token) {
  return token.startsWith(CALL) || token.startsWith(RESULT);
}

/** Prompts, answers, calls and results of turns, as far as they are in the context of the session. */
export function tell(turns, session, { words = "all", calls = "all", results = "none" } = {}) {
  return contextTurns(turns, session).flatMap((turn) => [
    ...(words === "all" ? promptOf(turn) : []),
    ...turn.messages
      .filter(isSent)
      .flatMap(({ blocks }) => [
        ...blocks.flatMap((block) => tellBlock(block, words)),
        ...(calls === "all" ? blocks.flatMap((block) => tellCall(block, turn)) : []),
        ...(results === "all" ? blocks.flatMap((block) => tellResult(block, turn)) : []),
      ]),
  ]);
}

/** What a client does not send of a session as it was recorded, it need not send of an edit of it. */
export function withoutLeftOut(tokens, session, sent) {
  const needed = [...tokens];
  for (const token of leftOutOf(session, flatten(sent))) {
    const at = needed.indexOf(token);
    if (at >= 0) needed.splice(at, 1);
  }
  return needed;
}

/** From the end, as clients follow parents: what they lose is the beginning. */
function leftOutOf(session, said) {
  let before = said;
  const leftOut = tell(session.turns, session, { results: "all" })
    .toReversed()
    .filter((token) => {
      if (isPart(token)) return !said.includes(token);
      const found = before.lastIndexOf(token);
      if (found >= 0) before = before.slice(0, found);
      return found < 0;
    });
  return leftOut.toReversed();
}

export function tellPrompts(turns, session) {
  return contextTurns(turns, session).flatMap(promptOf);
}

/** A client reads from the last compaction on. */
export function contextTurns(turns, { turns: all, compactions }) {
  const next = all[all.indexOf(turns.at(-1)) + 1]?.line ?? Number.POSITIVE_INFINITY;
  const start = Math.max(0, ...compactions.map(({ line }) => line).filter((line) => line < next));
  return turns.filter(({ line }) => line > start);
}

function promptOf({ kind, prompt }) {
  const words = squeeze(prompt).slice(0, WORDS);
  return kind === "prompt" && words !== "" ? [words] : [];
}

/** Errors are the client's own words; what was cut off by Esc is left out by some. */
function isSent({ isApiError, isAborted, author }) {
  return !isApiError && !isAborted && author === "model";
}

function tellBlock(block, words) {
  const text = block.kind === "text" && words === "all" ? squeeze(block.text).slice(0, WORDS) : "";
  return text === "" ? [] : [text];
}

/** Calls without result are dropped by clients up to 2.1.45. */
function tellCall(block, turn) {
  const call = callOf(block, turn);
  return call ? [callMark(call.id)] : [];
}

function tellResult(block, turn) {
  const call = callOf(block, turn);
  const text = typeof call?.result === "string" ? squeeze(call.result).slice(0, WORDS) : "";
  return call ? [`${resultMark(call.id)}${text}`] : [];
}

function callOf(block, { toolCalls }) {
  if (block.kind !== "toolCall" || block.isServerSide) return undefined;
  return toolCalls.find(({ id, status }) => id === block.id && status !== "orphan");
}

function toText(block) {
  if (block.type === "text") return squeeze(block.text);
  if (block.type === "tool_use") return callMark(block.id);
  if (block.type === "tool_result") return `${resultMark(block.tool_use_id)}${squeeze(resultText(block))}`;
  return "";
}

function callMark(id) {
  return `${CALL}${id}`;
}

function resultMark(id) {
  return `${RESULT}${id}] `;
}

function resultText({ content }) {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("\n");
}
