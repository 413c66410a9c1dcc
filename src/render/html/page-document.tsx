import { createHash } from "node:crypto";
import { neutralize } from "../neutralize.js";
import { escapeHtml } from "./code-html.js";
import { Page, type PageProps } from "./page.js";
import script from "./page-script/main.js?bundled";
import type { PageTools } from "./page-tools.js";
import style from "./styles/index.css?inline";
import { toFrame } from "./to-html.js";

/** What stands before and after the turns of a page. The file needs nothing but itself, and may fetch nothing. */
export function pageDocument(
  props: Omit<PageProps, "children">,
  tools: PageTools,
): readonly [before: string, after: string] {
  const [before, after] = toFrame((children) => <Page {...props}>{children}</Page>, tools);
  const title = escapeHtml(neutralize(props.header.title));
  const head = `<!doctype html>
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
`;
  return [`${head}${before}\n`, `\n${after}\n<script>${SCRIPT}</script>\n</body>\n</html>\n`];
}

const STYLE = style.trim();
const SCRIPT = script.replaceAll("</", "<\\/");

const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
