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

const MAX_COLUMNS = 100;
const LONGEST_WORD = 80;

/** The best title the file offers; undefined when it has none and only the id is left. */
export function chooseTitle(
  facts: Facts,
  nodes: readonly Node[],
  uuids: ReadonlyMap<string, unknown>,
  sidecarTitle?: string,
): Title | undefined {
  const candidates: readonly (readonly [TitleSource, string | null | undefined])[] = [
    ["custom-title", facts.customTitle ?? sidecarTitle],
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
function cutToWords(line: string): string {
  const cut = cutToColumns(line, MAX_COLUMNS);
  const space = cut.lastIndexOf(" ");
  return cut === line || space < cut.length - LONGEST_WORD ? cut : `${cut.slice(0, space).trimEnd()}…`;
}
