import { cutToColumns } from "../text-width.js";
import type { Facts } from "./facts/facts.js";
import type { Node } from "./graph/node.js";

/** `user`: set in turnlog, not in Claude Code. */
export type TitleSource =
  | "user"
  | "custom-title"
  | "ai-title"
  | "summary"
  | "first-prompt"
  | "last-prompt"
  | "command"
  | "id";

export interface Title {
  readonly text: string;
  readonly source: TitleSource;
}

/** The title in `custom-title.json` beside the session. */
export interface SidecarTitle {
  readonly text: string;
  /** Written after the session. Otherwise a `custom-title` record counts: the SDK writes only that one (0.3.326). */
  readonly isNewer: boolean;
}

const MAX_COLUMNS = 100;
const LONGEST_WORD = 80;

/** The best title the file offers; undefined when it has none and only the id is left. */
export function chooseTitle(
  facts: Facts,
  nodes: readonly Node[],
  uuids: ReadonlyMap<string, unknown>,
  sidecar?: SidecarTitle,
): Title | undefined {
  const candidates: readonly (readonly [TitleSource, string | null | undefined])[] = [
    ["custom-title", sidecar?.isNewer ? sidecar.text : (facts.customTitle ?? sidecar?.text)],
    ["ai-title", facts.aiTitle],
    ["summary", ownSummary(facts, nodes, uuids)],
    ["first-prompt", firstText(nodes, "prompt")],
    ["last-prompt", facts.lastPrompt],
    ["command", firstText(nodes, "command") ?? firstText(nodes, "localCommand")],
  ];
  for (const [source, text] of candidates) {
    const line = firstLine(text ?? "");
    if (line !== "") return { text: cutToWords(line), source };
  }
  return undefined;
}

/** A summary names the conversation that ends at its leaf, which is often in another file. */
function ownSummary(
  { summaries }: Facts,
  nodes: readonly Node[],
  uuids: ReadonlyMap<string, unknown>,
): string | undefined {
  const own = new Set(nodes.map(({ uuid }) => uuid));
  const active = summaries.findLast(({ leafUuid }) => leafUuid !== null && own.has(leafUuid));
  return (active ?? summaries.findLast(({ leafUuid }) => leafUuid !== null && uuids.has(leafUuid)))?.text;
}

function firstText(nodes: readonly Node[], role: Node["role"]): string | undefined {
  return nodes.find((node) => node.role === role && node.text?.trim())?.text;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}

/** Cuts between words: the redactor would not recognize a part of a token. */
function cutToWords(line: string, columns = MAX_COLUMNS): string {
  const cut = cutToColumns(line, columns);
  if (line[cut.length - 1] === " ") return cut; // the cut is behind a word already
  const space = cut.lastIndexOf(" ");
  return cut === line || space < cut.length - LONGEST_WORD ? cut : `${cut.slice(0, space).trimEnd()}…`;
}

/** How a session was made of another one; its title ends with it, each mark once: `Fix the login (pruned, fork)`. */
const EDIT_MARKS = [
  "clone",
  "fork",
  "pruned",
  "compressed",
  "redacted",
  "repaired",
  "merged",
  "uncompacted",
  "handed on",
] as const;
export type EditMark = (typeof EDIT_MARKS)[number];

const MARKED = new RegExp(String.raw` \(((?:${EDIT_MARKS.join("|")})(?:, (?:${EDIT_MARKS.join("|")}))*)\)$`);

/** The title of a session that was made by an edit; short enough to be read back as it is. */
export function markTitle(title: string, mark: EditMark): string {
  const { name, marks } = splitTitle(title);
  const shown = `(${[...new Set([...marks, mark])].join(", ")})`;
  return `${cutToWords(name, MAX_COLUMNS - shown.length - 1)} ${shown}`;
}

/** A title in so many columns. What an edit added to it stays, however little is left of the rest. */
export function cutTitle(title: string, columns: number): string {
  const { name, marks } = splitTitle(title);
  const shown = `(${marks.join(", ")})`;
  const room = columns - shown.length - 1;
  if (marks.length === 0 || room < 1) return cutToColumns(title, columns);
  return `${cutToColumns(name, room)} ${shown}`;
}

function splitTitle(title: string): { readonly name: string; readonly marks: readonly string[] } {
  const [end, marks] = MARKED.exec(title) ?? [];
  if (end === undefined || marks === undefined) return { name: title, marks: [] };
  return { name: title.slice(0, -end.length), marks: marks.split(", ") };
}
