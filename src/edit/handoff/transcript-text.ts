import { toJsonText } from "../../format/json.js";
import { holdsPersonsWords } from "../../session/messages/tool-status.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { personLines, promptLines } from "../compress/condense-turn.js";

/** What a model reads to write a brief. */
export interface TranscriptText {
  readonly text: string;
  readonly turns: number;
  /** Turns of which calls and long texts were shortened, and turns that were left out. */
  readonly shortened: number;
  readonly leftOut: number;
}

/** Characters of each part of a turn. A level that holds less follows where there is no room for the one before. */
const LEVELS = [
  { person: 12_000, said: 8000, call: 1500, result: 1500, turn: 120_000 },
  { person: 3000, said: 1500, call: 200, result: 200, turn: 12_000 },
  { person: 1000, said: 500, call: 0, result: 0, turn: 2000 },
] as const;

interface Entry {
  /** One text for each level that may still be used. */
  readonly texts: string[];
  readonly turn: number;
}

/**
 * At most `most` characters. The last turns stay whole as long as possible, then older ones get shorter, then those after the first go.
 * Texts are cleaned before they are cut, so that no part of a secret is left.
 */
export function transcriptText(turns: Iterable<Turn>, clean: (text: string) => string, most: number): TranscriptText {
  const entries: Entry[] = [];
  let size = 0;
  let all = 0;
  let next = 0; // the first entry that may have something to lose
  for (const turn of turns) {
    all += 1;
    const parts = partsOf(turn, clean);
    entries.push({ turn: turn.index, texts: LEVELS.map((level) => atLevel(turn.index, parts, level)) });
    size += entries.at(-1)?.texts[0]?.length ?? 0;
    while (size > most && entries.length > 1) {
      const last = entries.length - 1;
      while (next < last && entries[next]?.texts.length === 1) next += 1;
      size -= next < last ? shorten(entries[next]) : drop(entries);
      next = Math.min(next, entries.length - 1);
    }
    while (size > most && (entries[0]?.texts.length ?? 0) > 1) size -= shorten(entries[0]);
  }
  return {
    text: join(entries).slice(0, most),
    turns: entries.length,
    shortened: entries.filter(({ texts }) => texts.length < LEVELS.length).length,
    leftOut: all - entries.length,
  };
}

/** How much shorter it is now. */
function shorten(entry: Entry | undefined): number {
  const [before = ""] = entry?.texts.splice(0, 1) ?? [];
  return before.length - (entry?.texts[0]?.length ?? 0);
}

/** The oldest but one goes; of two, the first. */
function drop(entries: Entry[]): number {
  const [gone] = entries.splice(entries.length > 2 ? 1 : 0, 1);
  return gone?.texts[0]?.length ?? 0;
}

function join(entries: readonly Entry[]): string {
  return entries
    .map(({ turn, texts }, at) => {
      const missing = turn - (entries[at - 1]?.turn ?? turn - 1) - 1;
      return `${missing > 0 ? `[${missing} turns left out]\n\n` : ""}${texts[0] ?? ""}`;
    })
    .join("");
}

type PartKind = Exclude<keyof (typeof LEVELS)[number], "turn">;

interface Part {
  readonly kind: PartKind;
  readonly text: string;
}

/** In the order in which it was said and done. */
function partsOf(turn: Turn, clean: (text: string) => string): Part[] {
  const part = (kind: PartKind, text: string): Part => ({ kind, text: clean(bounded(text)) });
  const calls = new Map(turn.toolCalls.map((call) => [call.id, call]));
  const work = turn.messages.flatMap(({ author, blocks }) =>
    blocks.flatMap((block) => {
      if (block.kind === "toolCall") return partsOfCall(calls.get(block.id), part);
      if (author !== "model" || block.kind !== "text" || block.text.trim() === "") return [];
      return part("said", `Assistant: ${block.text.trim()}`);
    }),
  );
  return [
    ...promptLines(turn).map((line) => part("person", line)),
    ...work,
    ...personLines(turn).map((line) => part("person", line)),
    ...(turn.interrupted ? [part("person", "[interrupted by the user]")] : []),
  ];
}

function partsOfCall(call: ToolCall | undefined, part: (kind: PartKind, text: string) => Part): Part[] {
  if (!call || holdsPersonsWords(call)) return [];
  const { name, input, status, result } = call;
  return [
    part("call", `Tool: ${name} ${toJsonText(input) ?? ""}`),
    part("result", `Result (${status}): ${result ?? "none"}`),
  ];
}

const LONGEST_PART = 50_000; // characters that are looked at; far more than any level keeps

/** Both ends of a text of any size. */
function bounded(text: string): string {
  return text.length <= LONGEST_PART
    ? text
    : `${text.slice(0, LONGEST_PART / 2)}\n[…]\n${text.slice(-LONGEST_PART / 2)}`;
}

function atLevel(turn: number, parts: readonly Part[], level: (typeof LEVELS)[number]): string {
  const lines = parts.flatMap(({ kind, text }) => (level[kind] === 0 ? [] : cutMiddle(text, level[kind])));
  return `Turn ${turn}\n${cutMiddle(lines.join("\n"), level.turn)}\n\n`;
}

/** Two thirds of the beginning and one of the end: there commands and answers say how they ended. */
function cutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = Math.round(longest * 0.66);
  return `${text.slice(0, head).toWellFormed()} […] ${text.slice(head - longest).toWellFormed()}`;
}
