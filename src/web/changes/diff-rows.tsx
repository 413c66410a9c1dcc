import { useMemo } from "preact/hooks";
import type { Highlight } from "../../render/highlight.js";
import { ScrollBox } from "../../render/html/components/code-blocks.js";
import { type DiffLine, lineClass, signHtml, toDiffLines } from "../../render/html/components/diff-lines.js";
import type { DiffPart } from "../../render/tools/view-parts.js";
import type { DiffLook } from "./changes-tools.js";

interface DiffRowsProps {
  readonly hunk: DiffPart["hunks"][number];
  readonly language: string | null;
  readonly highlight: Highlight;
  readonly look: DiffLook;
}

/** The lines of a hunk, in one column or in two. */
export function DiffRows({ hunk, language, highlight, look: { layout, isWrapped } }: DiffRowsProps) {
  const lines = useMemo(() => toDiffLines(hunk, language, highlight), [hunk, language, highlight]);
  const digits = Math.max(2, ...lines.map(({ before, after }) => String(Math.max(before ?? 0, after ?? 0)).length));
  if (layout === "unified") {
    return (
      <Column label="changes" html={lines.map((line) => unifiedRow(line, digits)).join("")} digits={2 * digits + 1} />
    );
  }
  const pairs = toPairs(lines);
  if (isWrapped) return <WrappedPairs pairs={pairs} digits={digits} />;
  const side = (at: 0 | 1) => pairs.map((pair) => sideRow(pair[at], at, digits)).join("");
  return (
    <div class="split">
      <Column label="before" html={side(0)} digits={digits} />
      <Column label="after" html={side(1)} digits={digits} />
    </div>
  );
}

interface ColumnProps {
  readonly label: string;
  readonly html: string;
  /** Width of the line numbers. */
  readonly digits: number;
}

function Column({ label, html, digits }: ColumnProps) {
  return (
    <ScrollBox class="code-box diff" label={label}>
      <pre style={{ "--numbers": `${digits + 1}ch` }} dangerouslySetInnerHTML={{ __html: html }} />
    </ScrollBox>
  );
}

function WrappedPairs({ pairs, digits }: { readonly pairs: readonly Pair[]; readonly digits: number }) {
  const html = pairs.map(([a, b]) => `<div>${sideRow(a, 0, digits)}${sideRow(b, 1, digits)}</div>`).join("");
  return (
    <ScrollBox class="code-box diff pairs-of-lines" label="before and after">
      <pre style={{ "--numbers": `${digits + 1}ch` }} dangerouslySetInnerHTML={{ __html: html }} />
    </ScrollBox>
  );
}

function unifiedRow(line: DiffLine, digits: number): string {
  const numbers = [line.before, line.after].map((number) => pad(number, digits)).join(" ");
  return row(line, numbers);
}

function sideRow(line: DiffLine | undefined, side: 0 | 1, digits: number): string {
  if (!line) return `<span class="no-line" data-lines="${pad(null, digits)}"> \n</span>`;
  return row(line, pad(side === 0 ? line.before : line.after, digits));
}

function row(line: DiffLine, numbers: string): string {
  return `<span class="${lineClass(line)}" data-lines="${numbers}">${signHtml(line.sign)}${line.html}\n</span>`;
}

function pad(number: number | null, digits: number): string {
  return String(number || "").padStart(digits);
}

type Pair = readonly [before: DiffLine | undefined, after: DiffLine | undefined];

/** Lines that are removed beside the lines that are added right after them. */
function toPairs(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) pairs.push([removed[at], added[at]]);
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.sign === "-") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.sign === "+") added.push(line);
    else if (line.sign === "\\") (added.length > 0 ? added : removed).push(line);
    else {
      flush();
      pairs.push([line, line]);
    }
  }
  flush();
  return pairs;
}
