import { neutralize } from "../../render/safe-text.js";
import type { ServedHit } from "../../server/api/search.js";

export const HIT_KINDS: Readonly<Record<ServedHit["kind"], string>> = {
  prompt: "you",
  answer: "answer",
  thinking: "thinking",
  command: "command",
  toolInput: "tool call",
  toolOutput: "result",
  title: "title",
  file: "file",
  context: "context",
};

const LEAD = 24; // characters before the first match, where there is one line only

/** The part of a text from shortly before its first match on. */
export function fromFirstMatch({ snippet, marks }: Pick<ServedHit, "snippet" | "marks">): SnippetProps {
  const cut = Math.max(0, (marks[0]?.[0] ?? 0) - LEAD);
  if (cut === 0) return { text: snippet, marks };
  return { text: `…${snippet.slice(cut)}`, marks: marks.map(([start, end]) => [start - cut + 1, end - cut + 1]) };
}

interface SnippetProps {
  readonly text: string;
  readonly marks: ServedHit["marks"];
}

export function Snippet({ text, marks }: SnippetProps) {
  const pieces = marks.flatMap(([start, end], index) => [
    neutralize(text.slice(marks[index - 1]?.[1] ?? 0, start)),
    <mark key={start}>{neutralize(text.slice(start, end))}</mark>,
  ]);
  return (
    <span class="snippet" dir="auto">
      {pieces}
      {neutralize(text.slice(marks.at(-1)?.[1] ?? 0))}
    </span>
  );
}
