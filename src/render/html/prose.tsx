import { useContext } from "preact/hooks";
import { formatBytes, formatCount } from "../format-values.js";
import { neutralize } from "../neutralize.js";
import { PageToolsContext } from "./page-tools.js";

/** What a model wrote. */
export function Markdown({ text }: { readonly text: string }) {
  const { markdown } = useContext(PageToolsContext);
  return <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: markdown(text) }} />;
}

const SHOWN_LINES = 40;
const SHOWN_CHARACTERS = 4000;

/** What a person or a program wrote, as it is; of a long text the beginning, and the rest when it is opened. */
export function PlainText({ text }: { readonly text: string }) {
  const harmless = neutralize(text).replace(/^\s*\n|\s+$/g, "");
  const [shown, rest] = cut(harmless);
  return (
    <div class="plain" dir="auto">
      {shown}
      {rest === "" ? null : (
        <details class="rest">
          <summary>{describeRest(rest)} more</summary>
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

/** No character is cut in two. */
function endsInPair(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text);
}

function describeRest(rest: string): string {
  const lines = rest.split("\n").length;
  return lines > 1 ? formatCount(lines, "line") : formatBytes(rest.length);
}
