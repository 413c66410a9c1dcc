import * as z from "zod";
import { type BlameReport, blameChangedFile, toBlameReport } from "../../../app/links/blame.js";
import { cleanText, firstWords, moreLine, type PageItem, parseCursor, takePage } from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import { cursorField, defineMcpTool } from "../mcp-tool.js";

const TEXT_CHARACTERS = 500;
const PROMPT_CHARACTERS = 300;
const ID_CHARACTERS = 8;
const MAX_LINES = 400;

export const blameTool = defineMcpTool({
  name: "blame",
  title: "Who wrote a line",
  description:
    "Tells for each line of a file as it is now which turn of which past session wrote it, and why (the prompt), or which commit. What " +
    "is not certain is unknown. Use it before you change code, to see what it was written for. Only files that a session changed.",
  fields: {
    file: z.string().describe("The whole path of the file (a leading ~ is the home folder)"),
    from: z.int().min(1).optional().describe("The first line"),
    to: z.int().min(1).optional().describe("The last line"),
    cursor: cursorField,
  },
  async answer({ file, from = 1, to = Number.POSITIVE_INFINITY, cursor }, library) {
    const [start = 0] = parseCursor(cursor, 1);
    const load = await library.loadOptions();
    const blame = await library.withIndex((index) =>
      blameChangedFile(file, { roots: library.roots, archive: load.archive, db: index?.db, behind: undefined }, load),
    );
    const report = toBlameReport(blame, { file, from, to: Math.max(from, to) }, library.clean);
    const page = takePage(toItems(report, start, library), MAX_LINES);
    const turns = new Set(page.items.map(({ turn, session }) => `${session} ${turn}`));
    const commits = new Set(page.items.map(({ commit }) => commit));
    return {
      text: page.items.length === 0 ? "no lines" : page.text + moreLine(page.nextCursor),
      structured: {
        file: report.file,
        counts: report.counts,
        lines: page.items,
        turns: describeTurns(report, library).filter(({ session, turn }) => turns.has(`${session} ${turn}`)),
        commits: report.commits.filter(({ id }) => commits.has(id)),
        nextCursor: page.nextCursor,
      },
    };
  },
});

interface Item {
  readonly session: string | null;
  readonly turn: number | null;
  readonly commit: string | null;
}

function* toItems(report: BlameReport, start: number, { clean }: McpLibrary): Generator<PageItem<Item>> {
  let last = "";
  for (const [at, line] of report.lines.entries()) {
    if (at < start) continue;
    const by = line.turn === null ? undefined : report.turns[line.turn];
    const commit = report.commits.find(({ id }) => id === line.commit);
    const who = by
      ? `${by.session.slice(0, ID_CHARACTERS)} turn ${by.turn}: ${cleanText(by.prompt, clean, "prompt")}`
      : commit
        ? `commit ${commit.id.slice(0, ID_CHARACTERS)}: ${cleanText(commit.subject, clean, "commit")}`
        : "unknown";
    const heading = who === last ? "" : `[${firstWords(who, PROMPT_CHARACTERS)}]\n`;
    last = who;
    const text = cleanText(line.text.slice(0, TEXT_CHARACTERS), clean, "line");
    const { turn: _turn, ...others } = line;
    const item = {
      ...others,
      text,
      session: by?.session ?? null,
      turn: by?.turn ?? null,
      agentId: by?.agentId ?? null,
    };
    yield { item, text: `${heading}${line.line}  ${text}`, cursor: String(at) };
  }
}

function describeTurns({ turns }: BlameReport, { clean }: McpLibrary) {
  return turns.map(({ prompt, title, ...turn }) => ({
    ...turn,
    title: firstWords(cleanText(title, clean, "title"), PROMPT_CHARACTERS),
    prompt: firstWords(cleanText(prompt, clean, "prompt"), PROMPT_CHARACTERS),
  }));
}
