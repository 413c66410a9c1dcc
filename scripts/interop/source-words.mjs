// What people and the model said in a session, read from its lines alone: independent of what turnlog makes of them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf } from "./api-rules.mjs";

const PLAN_TOOL = "ExitPlanMode";
const QUESTION_TOOL = "AskUserQuestion";

/**
 * `people` and `model`: `{ text, line }` of everything said; `answered`: ids of the calls with a result, `callsWithWords`: of those in
 * which a person said something; `texts`: every string in the file and beside it, as one text.
 */
export function readWords(file) {
  const rows = rowsOf(file);
  const calls = new Map(rows.flatMap(({ row }) => callsOf(row)));
  const own = rows.filter(({ row }) => !row.isSidechain && !row.agentId);
  const people = own.flatMap(({ row, line }) => wordsOfPeople(row, calls).map((text) => ({ text, line })));
  const model = own.flatMap(({ row, line }) => wordsOfModel(row).map((text) => ({ text, line })));
  const callsWithWords = new Set(own.flatMap(({ row }) => (holdsWords(row, calls) ? resultIds(row) : [])));
  const answered = new Set(own.flatMap(({ row }) => resultIds(row)));
  return { people, model, answered, callsWithWords, texts: stringsOf(rows.map(({ row }) => row)) + besidesOf(file) };
}

/** Every string in a request, as one text. */
export function textsOf(messages) {
  return stringsOf(messages);
}

export function squeeze(text) {
  return text.replace(/\s+/g, " ").trim();
}

function rowsOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text, at) => {
      const row = parse(text);
      return row !== null && typeof row === "object" ? [{ row, line: at + 1 }] : [];
    });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function callsOf(row) {
  const blocks = row.type === "assistant" && row.message ? blocksOf(row.message) : [];
  return blocks.filter(({ type }) => type === "tool_use").map((block) => [block.id, block]);
}

function resultIds(row) {
  const blocks = row.type === "user" && row.message ? blocksOf(row.message) : [];
  return blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id }) => id);
}

/** Summaries, notes of the client and of other programs are stored as the user's too. */
function isOfPerson(row) {
  const { type, isMeta, isCompactSummary, isVisibleInTranscriptOnly, origin } = row;
  const isHuman = origin === undefined || origin.kind === "human" || origin.kind === "channel";
  return type === "user" && !isMeta && !isCompactSummary && !isVisibleInTranscriptOnly && isHuman;
}

function wordsOfPeople(row, calls) {
  if (!isOfPerson(row) || !row.message) return [];
  const typed = blocksOf(row.message).filter(({ type, text }) => type === "text" && !/^\s*</.test(text ?? ""));
  return [...typed.map(({ text }) => text), ...wordsInResult(row, calls)].map(squeeze).filter((text) => text !== "");
}

/** Feedback on a refused call, answers to questions, an approved plan. */
function wordsInResult(row, calls) {
  const called = resultIds(row).map((id) => calls.get(id));
  const isError = blocksOf(row.message).some(({ is_error: failed }) => failed);
  const plans = called.filter((call) => call?.name === PLAN_TOOL && !isError).map(({ input }) => input?.plan);
  const isAnswered = called.some((call) => call?.name === QUESTION_TOOL);
  const answers = isAnswered ? Object.values(row.toolUseResult?.answers ?? {}) : [];
  return [row.userFeedback, ...plans, ...answers].filter((text) => typeof text === "string");
}

function holdsWords(row, calls) {
  if (!isOfPerson(row) || !row.message || resultIds(row).length === 0) return false;
  return row.holdsPersonsWords === true || wordsOfPeople(row, calls).length > 0;
}

function wordsOfModel(row) {
  const { type, message, isApiErrorMessage } = row;
  if (type !== "assistant" || !message || isApiErrorMessage || message.model === "<synthetic>") return [];
  const texts = blocksOf(message).filter((block) => block.type === "text");
  return texts.map(({ text = "" }) => squeeze(text)).filter((text) => text !== "");
}

/** Spilled output and the like. */
function besidesOf(file) {
  const folder = file.replace(/\.jsonl$/, "");
  if (!existsSync(folder)) return "";
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return ` ${entries.map(({ parentPath, name }) => squeeze(readFileSync(join(parentPath, name), "utf8"))).join(" ")}`;
}

/** Without keys; numbers and the like are no words. */
function stringsOf(value) {
  const found = [];
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") found.push(squeeze(next));
    else if (next !== null && typeof next === "object") open.push(...Object.values(next).toReversed());
  }
  return found.join(" ");
}
