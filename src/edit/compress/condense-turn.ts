import { toJsonText } from "../../format/json.js";
import { planOf } from "../../format/record/persons-words.js";
import { asksPerson, holdsPersonsWords } from "../../session/messages/tool-status.js";
import { buildTurn, readBodies, type Turn } from "../../session/turns/build-turn.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import type { EditSource } from "../plans/edit-source.js";
import type { ChosenTurn } from "./choose-turns.js";
import { workLines } from "./describe-work.js";

/** What a person asked: all of it, in their words. */
export function promptLines({ kind, prompt, followUps, attached }: Turn): string[] {
  const who = kind === "notification" ? "A background task ended" : "User";
  return [
    `${who}: ${prompt}`,
    ...attached.map(({ kind: what }) => `[with ${what === "image" ? "an image" : "a document"}, left out]`),
    ...followUps.map(({ prompt: words }) => `User, while Claude worked: ${words}`),
  ];
}

/** What the model said and did, in short. */
export function answerLines(turn: Turn, level: ChosenTurn["level"], keepCalls: boolean): string[] {
  const texts = turn.messages
    .filter(({ author }) => author === "model")
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? block.text.trim() : [])))
    .filter((text) => text !== "");
  const said = (level === "heavy" ? texts.slice(-1) : texts).map(
    (text) => `Assistant: ${shorten(text, LONGEST[level])}`,
  );
  return [
    ...said,
    ...callLines(turn.toolCalls, level, keepCalls),
    ...personLines(turn),
    ...(turn.interrupted ? ["[interrupted by the user]"] : []),
  ];
}

/** Characters of one answer, or of one result. */
const LONGEST: Readonly<Record<ChosenTurn["level"], number>> = {
  heavy: 600,
  light: 1500,
  full: Number.POSITIVE_INFINITY,
};

function callLines(calls: readonly ToolCall[], level: ChosenTurn["level"], keepCalls: boolean): string[] {
  if (keepCalls) return calls.map(({ name, input }) => `Tool: ${name} ${toJsonText(input) ?? ""}`);
  if (level === "heavy") return workLines(calls);
  return calls.filter(({ name }) => !asksPerson(name)).map((call) => describeCall(call, level));
}

/** What a person said through tool calls, word by word; a plan with what became of it. */
export function personLines({ toolCalls }: Turn): string[] {
  return toolCalls.filter(holdsPersonsWords).flatMap(({ name, input, result, summary, status, personsWords }) => {
    const plan = planOf({ name, input });
    const put = [
      ...(plan !== undefined && !result?.includes(plan) ? [`${name}, the plan: ${plan}`] : []),
      ...(asksPerson(name) && result ? [`${name}: ${result}`] : []),
    ];
    const more = personsWords.filter(({ text }) => !put.some((line) => line.includes(text)));
    return [...put, ...more.map(({ text }) => `User, on ${name} ${firstLine(summary)} (${status}): ${text}`)];
  });
}

function describeCall({ name, summary, status, result, input }: ToolCall, level: ChosenTurn["level"]): string {
  if (level === "full") return `Tool: ${name} ${toJsonText(input) ?? ""}\nResult (${status}): ${result ?? "none"}`;
  const outcome = status === "ok" ? "" : ` (${status}: ${shorten(firstLine(result ?? ""), 200)})`;
  return `Tool: ${name} ${shorten(firstLine(summary), 200)}${outcome}`;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return `${text.slice(0, end)} [turnlog left out ${text.length - end} characters]`;
}

/** A turn with its bodies; the places of its own records are read and nothing else. */
export function readTurn({ path, outline }: EditSource, turn: TurnOutline): Turn {
  const nodes = turn.nodes.includes(turn.start) ? turn.nodes : [turn.start, ...turn.nodes];
  return buildTurn(turn, readBodies(path, nodes), outline);
}
