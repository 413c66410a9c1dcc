import { createHash } from "node:crypto";
import { loadHighlighter } from "../../highlight.js";
import { neutralize } from "../../safe-text.js";
import { escapeHtml } from "../components/code-html.js";
import { createMarkdownHtml } from "../components/markdown-html.js";
import style from "../styles/index.css?inline";

const STYLE = `${style.trim()}\nmain{max-width:48rem;margin:0 auto;padding:1.5rem}`;

/** A document in parts, each Markdown of ours, as one page that loads and runs nothing. */
export async function documentPage(name: string, parts: readonly string[]): Promise<string> {
  const markdown = createMarkdownHtml(await loadHighlighter(), { firstHeading: 1 });
  const title = escapeHtml(neutralize(name).replace(/\s+/g, " "));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="turnlog">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main class="prose">
${parts.map(markdown).join("")}</main>
</body>
</html>
`;
}

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
