import { neutralize } from "../../render/neutralize.js";
import type { ServedHit } from "../../server/api/search.js";

/** An excerpt with the found words marked. */
export function Snippet({ text, marks }: { readonly text: string; readonly marks: ServedHit["marks"] }) {
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
