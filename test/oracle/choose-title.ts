import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promptText, unwrap } from "./classify-user.js";
import { stringAt } from "./json-at.js";
import type { Row } from "./read-session.js";
import type { WalkedTurn } from "./walk-turns.js";

export type TitleSource = "custom-title" | "ai-title" | "summary" | "first-prompt" | "last-prompt" | "command" | "id";

export interface TitleInput {
  readonly file: string;
  readonly id: string;
  readonly rows: readonly Row[];
  readonly activeRows: readonly Row[];
  readonly turns: readonly WalkedTurn[];
}

const MAX_TITLE_GRAPHEMES = 100;
const LONGEST_WORD = 80;

/** FACTS 10, in that order. */
export function chooseTitle(input: TitleInput): { title: string; titleSource: TitleSource } {
  const candidates: [TitleSource, string | null][] = [
    ["custom-title", lastOf(input.rows, "custom-title", "customTitle") ?? titleBeside(input)],
    ["ai-title", lastOf(input.rows, "ai-title", "aiTitle")],
    ["summary", summaryTitle(input)],
    ["first-prompt", firstPrompt(input.turns)],
    ["last-prompt", cut(lastOf(input.rows.filter(hasLastPrompt), "last-prompt", "lastPrompt"))],
    ["command", firstCommand(input.activeRows)],
  ];
  const [titleSource, title] = candidates.find(([, text]) => text) ?? ["id", null];
  return { title: title ?? input.id, titleSource };
}

function lastOf(rows: readonly Row[], type: string, field: string): string | null {
  return stringAt(rows.findLast((row) => row.type === type)?.json, field);
}

function titleBeside({ file, id }: TitleInput): string | null {
  const beside = join(file, "..", id, "custom-title.json");
  return existsSync(beside) ? stringAt(JSON.parse(readFileSync(beside, "utf8")), "customTitle") : null;
}

function summaryTitle({ rows, activeRows }: TitleInput): string | null {
  const summaries = rows.filter(({ type }) => type === "summary");
  const endsIn = (nodes: readonly Row[]) =>
    summaries.findLast(({ json }) => nodes.some(({ uuid }) => uuid !== null && uuid === json["leafUuid"]));
  return stringAt((endsIn(activeRows) ?? endsIn(rows))?.json, "summary");
}

function firstPrompt(turns: readonly WalkedTurn[]): string | null {
  return cut(turns.find(({ kind, prompt }) => kind === "prompt" && prompt !== "")?.prompt ?? null);
}

function hasLastPrompt({ json }: Row): boolean {
  return stringAt(json, "lastPrompt") !== null;
}

function firstCommand(rows: readonly Row[]): string | null {
  const command = rows
    .filter(({ type }) => type === "user" || type === "system")
    .map(promptText)
    .find((text) => /^<command-(name|message|args)>/.test(text));
  return command === undefined ? null : unwrap(command, "command");
}

/** About 100 columns with the mark of the cut, and whole words unless the last one is very long. */
function cut(text: string | null): string | null {
  const [firstLine = ""] = (text ?? "").trim().split("\n");
  const graphemes = [...new Intl.Segmenter().segment(firstLine.trim())].map(({ segment }) => segment);
  if (graphemes.length <= MAX_TITLE_GRAPHEMES) return graphemes.join("");
  const start = graphemes.slice(0, MAX_TITLE_GRAPHEMES);
  const end = start.lastIndexOf(" ");
  return `${start
    .slice(0, end < MAX_TITLE_GRAPHEMES - LONGEST_WORD ? -1 : end)
    .join("")
    .trim()}…`;
}
