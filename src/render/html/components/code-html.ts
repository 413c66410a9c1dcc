import type { HighlightedLine } from "../../highlight.js";

export function codeHtml(lines: readonly HighlightedLine[]): string {
  return lines.map((line) => lineHtml(line)).join("\n");
}

/** A stretch of a line, in characters: from the first to before the last. */
export type Stretch = readonly [start: number, end: number];

/** `marks` are in the order of the line and do not overlap. */
export function lineHtml(line: HighlightedLine, marks: readonly Stretch[] = []): string {
  let html = "";
  let at = 0;
  for (const { text, scope } of line) {
    const name = scope === null ? undefined : classOf(scope);
    for (const { part, isMarked } of cutAt(text, at, marks)) {
      const span = spanHtml(part, name);
      html += isMarked ? `<mark>${span}</mark>` : span;
    }
    at += text.length;
  }
  return html;
}

function cutAt(text: string, offset: number, marks: readonly Stretch[]): { part: string; isMarked: boolean }[] {
  const parts: { part: string; isMarked: boolean }[] = [];
  let at = 0;
  for (const [start, end] of marks) {
    const [from, to] = [Math.max(at, start - offset), Math.min(text.length, end - offset)];
    if (to <= from) continue;
    if (from > at) parts.push({ part: text.slice(at, from), isMarked: false });
    parts.push({ part: text.slice(from, to), isMarked: true });
    at = to;
  }
  return at < text.length ? [...parts, { part: text.slice(at), isMarked: false }] : parts;
}

export function escapeHtml(text: string): string {
  if (!/[&<>"]/.test(text)) return text;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function spanHtml(text: string, name: string | undefined): string {
  const escaped = escapeHtml(text);
  return name === undefined ? escaped : `<span class="${name}">${escaped}</span>`;
}

/** Scopes of highlight.js are mapped to nine classes. */
function classOf(scope: string): string | undefined {
  const dot = scope.indexOf(".");
  return SCOPE_CLASSES.get(dot < 0 ? scope : scope.slice(0, dot));
}

const SCOPE_CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "hl-word": ["keyword", "literal", "selector-tag", "operator"],
    "hl-text": ["string", "regexp", "char", "link", "template-variable"],
    "hl-number": ["number", "symbol", "bullet"],
    "hl-note": ["comment", "quote", "doctag", "meta"],
    "hl-name": ["title", "section", "name", "selector-id", "selector-class"],
    "hl-type": ["type", "built_in", "class"],
    "hl-field": ["attr", "attribute", "property", "variable", "selector-attr", "selector-pseudo"],
    "hl-added": ["addition"],
    "hl-removed": ["deletion"],
  }).flatMap(([name, scopes]) => scopes.map((scope) => [scope, name] as const)),
);
