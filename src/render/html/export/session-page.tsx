import { createHash } from "node:crypto";
import type { ComponentChildren } from "preact";
import { neutralize } from "../../safe-text.js";
import type { ShownHeader, ShownTotals } from "../../show-session.js";
import { escapeHtml } from "../components/code-html.js";
import { IconSheet } from "../components/icon.js";
import type { PageTools } from "../components/page-tools.js";
import { SessionHeading } from "../components/session-heading.js";
import script from "../page-script/main.js?bundled";
import style from "../styles/index.css?inline";
import { Contents, type ContentsEntry } from "./contents.js";
import { toFrame, toHtml } from "./to-html.js";
import { ExportKeysDialog, Toolbar } from "./toolbar.js";

/** The HTML before and after the turns. The policy lets the file load nothing from elsewhere. */
export function pageDocument(
  props: Omit<ExportPageProps, "children">,
  tools: PageTools,
): readonly [before: string, after: string] {
  const [before, after] = toFrame((children) => <ExportPage {...props}>{children}</ExportPage>, tools);
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

/** The contents list: body of the index page of a session in several parts. */
export function indexBody(entries: readonly ContentsEntry[], tools: PageTools): string {
  return toHtml(<Contents entries={entries} />, tools);
}

/** One file of an export: the only one, the index, or one of the parts. */
interface ExportPageProps {
  readonly header: ShownHeader;
  readonly totals: ShownTotals;
  readonly entries: readonly ContentsEntry[];
  /** Links to the parts; empty for a session on one page. */
  readonly parts: readonly PartLink[];
  readonly children: ComponentChildren;
}

export interface PartLink {
  readonly href: string;
  readonly label: string;
  readonly isThis: boolean;
}

function ExportPage({ header, totals, entries, parts, children }: ExportPageProps) {
  return (
    <>
      <IconSheet />
      <a class="skip" href="#session">
        Skip to the session
      </a>
      <Toolbar />
      <div class="columns">
        <nav id="contents" aria-label="Contents">
          <PartLinks parts={parts} />
          <Contents entries={entries} />
        </nav>
        <main id="session" tabIndex={-1}>
          <SessionHeading header={header} totals={totals} />
          {children}
          <NeighbourLinks parts={parts} />
        </main>
      </div>
      <ExportKeysDialog />
      <p id="said" role="status" />
    </>
  );
}

function PartLinks({ parts }: Pick<ExportPageProps, "parts">) {
  if (parts.length === 0) return null;
  return (
    <ul class="part-links" aria-label="Parts">
      {parts.map(({ href, label, isThis }) => (
        <li key={href}>
          <a href={href} {...(isThis ? { "aria-current": "page" as const } : {})}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}

function NeighbourLinks({ parts }: Pick<ExportPageProps, "parts">) {
  const at = parts.findIndex(({ isThis }) => isThis);
  const links = [parts[at - 1], parts[at + 1]].flatMap((part) => part ?? []);
  if (at < 0 || links.length === 0) return null;
  return (
    <p class="neighbours">
      {links.map(({ href, label }) => (
        <a key={href} href={href} rel={href === parts[at - 1]?.href ? "prev" : "next"}>
          {label}
        </a>
      ))}
    </p>
  );
}
