import { useContext } from "preact/hooks";
import type { InlineFile } from "../../../format/record/content-block.js";
import { formatBytes, formatCount } from "../../format-values.js";
import { formatBase64Size } from "../../labels.js";
import { isPicture } from "../../picture-types.js";
import { neutralize } from "../../safe-text.js";
import { PageToolsContext } from "./page-tools.js";

export function Markdown({ text }: { readonly text: string }) {
  const { markdown } = useContext(PageToolsContext);
  return <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: markdown(text) }} />;
}

const SHOWN_LINES = 40;
const SHOWN_CHARACTERS = 4000;

/** Text as it was written. The rest of a long text is folded. */
export function PlainText({ text }: { readonly text: string }) {
  const harmless = neutralize(text).replace(/^\s*\n|\s+$/g, "");
  const [shown, rest] = cut(harmless);
  return (
    <div class="plain" dir="auto">
      {shown}
      {rest === "" ? null : (
        <details class="rest">
          <summary>{describeRest(rest)}</summary>
          {rest}
        </details>
      )}
    </div>
  );
}

function cut(text: string): readonly [shown: string, rest: string] {
  const lines = text.slice(0, SHOWN_CHARACTERS).split("\n");
  if (text.length <= SHOWN_CHARACTERS && lines.length <= SHOWN_LINES) return [text, ""];
  const [first = ""] = lines;
  const whole = lines.slice(0, Math.min(SHOWN_LINES, text.length > SHOWN_CHARACTERS ? lines.length - 1 : lines.length));
  const shown = whole.length > 0 ? whole.join("\n") : first;
  const end = endsInPair(shown) ? shown.length - 1 : shown.length;
  return [text.slice(0, end), text.slice(end).replace(/^\n/, "")];
}

/** The cut would split a surrogate pair. */
function endsInPair(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text);
}

function describeRest(rest: string): string {
  const lines = rest.split("\n").length;
  return lines > 1 ? formatCount(lines, "more line") : `${formatBytes(rest.length)} more`;
}

/** A picture from its bytes. The browser gets only known image types; anything else is named. */
export function Picture({ mediaType, base64 }: InlineFile) {
  const size = formatBase64Size(base64);
  const name = neutralize(mediaType);
  if (!isPicture(mediaType, base64)) return <p class="note">{`${name}, ${size}: cannot be shown`}</p>;
  return (
    <figure class="part">
      <img class="picture" src={`data:${mediaType};base64,${base64}`} alt={`${name}, ${size}`} loading="lazy" />
    </figure>
  );
}
