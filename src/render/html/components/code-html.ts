import type { HighlightedLine } from "../../highlight.js";

export function codeHtml(lines: readonly HighlightedLine[]): string {
  return lines.map(lineHtml).join("\n");
}

export function lineHtml(line: HighlightedLine): string {
  let html = "";
  for (const { text, scope } of line) html += spanHtml(text, scope === null ? undefined : classOf(scope));
  return html;
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
