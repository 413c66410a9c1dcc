import { stringAt } from "../../format/json.js";
import type { Turn } from "../../session/turns/build-turn.js";

export interface BriefItem {
  readonly turn: number;
  readonly text: string;
}

const FILLERS = new Set(
  "a again an and at do doc document file go hard hello here hey hi in it just morning ok okay on please plz read really see start the think this ultrathink very yes you".split(
    " ",
  ),
);
const MENTION = /(?:^|\s)@(?:"([^"]+)"|(\S+))/g;
const LONGEST_FILE = 1500; // characters
const FEWEST_WORDS = 3;

/** What the session is about: the first prompt that says something. Where a person only named a file, its beginning. */
export function watchGoal() {
  let first: BriefItem | undefined;
  let found: BriefItem | undefined;
  let pointer: BriefItem | undefined;
  return {
    add(turn: Turn): void {
      if (turn.kind !== "prompt" && turn.kind !== "command") return;
      const item = { turn: turn.index, text: turn.prompt };
      if (found || item.text.trim() === "") return;
      first ??= item;
      if (saysSomething(item.text)) found = item;
      else if (!pointer && item.text.search(MENTION) !== -1) {
        pointer = { turn: item.turn, text: withWhatItPointsAt(turn) };
        if (pointer.text !== item.text) found = pointer;
      }
    },
    get goal(): BriefItem | undefined {
      return found ?? first;
    },
  };
}

/** A greeting, a yes or a bare mention says nothing of what is wanted. */
function saysSomething(prompt: string): boolean {
  const words = prompt.replace(MENTION, " ").match(/[\p{L}\p{N}_]+/gu) ?? [];
  const telling = words.filter((word) => !FILLERS.has(word.toLowerCase()));
  return telling.length >= FEWEST_WORDS || telling.some((word) => /[^\p{Script=Latin}\p{N}_]/u.test(word));
}

/** The mentioned file as it was attached or read; else what the model first said of its task. */
function withWhatItPointsAt(turn: Turn): string {
  const names = [...turn.prompt.matchAll(MENTION)].map((match) => match[1] ?? match[2] ?? "");
  const isNamed = (path: string) => names.some((name) => path === name || path.endsWith(`/${name}`));
  const attached = turn.attachedFiles.find(({ path }) => isNamed(path));
  const read = turn.toolCalls.find(
    ({ name, status, input }) => name === "Read" && status === "ok" && isNamed(stringAt(input, "file_path") ?? ""),
  );
  const file = attached?.text ?? read?.result ?? "";
  if (file.trim() !== "") return `${turn.prompt}\n\n${withoutLineNumbers(file).slice(0, LONGEST_FILE).toWellFormed()}`;
  const said = firstTexts(turn);
  return said === "" ? turn.prompt : `${turn.prompt}\n\nAs the model understood it: ${said}`;
}

function withoutLineNumbers(text: string): string {
  return text
    .replace(/<\/?system-reminder>/g, "")
    .replace(/^\s*\d+[→\t]/gm, "")
    .trim();
}

function firstTexts({ messages }: Turn): string {
  return messages
    .filter(({ author }) => author === "model")
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? block.text.trim() : [])))
    .filter((text) => text !== "")
    .slice(0, 2)
    .join("\n\n");
}
