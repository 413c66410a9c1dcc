// What is wrong with how a client took a session; null: nothing.
import { readFileSync } from "node:fs";
import { blocksOf, findRefusals } from "./api-rules.mjs";
import { findMissing, flatten } from "./expect.mjs";
import { squeeze } from "./source-words.mjs";

/** A request that the API would take, with all that should be in it, in its order. */
export function judge(exchange, { file, tokens }) {
  return judgeRequest(exchange, file) ?? findMissing(tokens, flatten(exchange.messages)) ?? null;
}

/** A copy must be taken as its source is, well or badly. */
export function judgeCopy(exchange, source, files) {
  const [own, original] = [judgeRequest(exchange, files.copy), judgeRequest(source, files.source)];
  if (own !== original && !(own !== null && original !== null)) return own ?? `the source fails: ${original}`;
  return told(exchange, files.moved) === told(source, files.moved) ? null : "not the same request as for the source";
}

/** Whether a whole block is this text. */
export function holdsText({ messages }, text) {
  return (messages ?? [])
    .flatMap(blocksOf)
    .some((block) => block.type === "text" && squeeze(block.text) === squeeze(text));
}

/** Whether the client found the session, and what it sent and wrote is valid; not what was in it. */
export function judgeRequest({ messages, code, output, appended }, file) {
  if (messages === null) return `no request: ${output || `exit code ${code}`}`;
  const [refusal] = findRefusals({ messages });
  if (refusal) return refusal;
  if (code !== 0) return `exit code ${code}: ${output}`;
  const known = new Set(thoughtsIn(file));
  const isChanged = messages.flatMap(blocksOf).some((block) => block.type === "thinking" && !known.has(thought(block)));
  return isChanged ? "thinking is not sent as it was signed" : appended;
}

function thoughtsIn(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.includes('"thinking"'))
    .flatMap((line) => {
      const message = parse(line)?.message;
      return message
        ? blocksOf(message)
            .filter(({ type }) => type === "thinking")
            .map(thought)
        : [];
    });
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function thought({ thinking, signature }) {
  return JSON.stringify([thinking, signature]);
}

/** Without the folders of this run; spilled output lies where the session does; calls that stand for talk are named by its uuid. */
function told({ messages }, moved) {
  if (messages === null) return "";
  const said = flatten(messages);
  return (moved ? said.replaceAll(moved.from, moved.to) : said)
    .replace(/\S*\/home-\w+/g, "~")
    .replace(/\S*\/tool-results\//g, "tool-results/")
    .replace(/voicecallrecord_[0-9a-f-]+/g, "voicecallrecord");
}
