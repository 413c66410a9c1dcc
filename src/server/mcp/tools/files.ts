import { listTouchedFiles } from "../../../library/load/touched-files.js";
import { type FileSummary, sumFiles } from "../../../session/file-history/file-touches.js";
import { cleanText, firstWords, moreLine, type PageItem, parseCursor, takePage } from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import { cursorField, defineMcpTool, openNamedSession, sessionField } from "../mcp-tool.js";

const PATH_CHARACTERS = 1000;
const MAX_TURNS = 50;
const MAX_AGENTS = 20;
const NAME_CHARACTERS = 100;

export const filesTouchedTool = defineMcpTool({
  name: "files_touched",
  title: "Files of a session",
  description:
    "The files that a past session and its sub-agents read, wrote and edited with tools, how often, and in which turns. Use it " +
    "to see what a session changed. Changes by shell commands are not recorded, so they are missing.",
  fields: { session: sessionField, cursor: cursorField },
  async answer({ session: name, cursor }, library) {
    const [offset = 0] = parseCursor(cursor, 1);
    const session = await openNamedSession(name, library);
    const { touches, cwd } = listTouchedFiles(session);
    const files = sumFiles(touches, cwd);
    const page = takePage(toItems(files, offset, library));
    return {
      text: page.items.length === 0 ? "no files" : page.text + moreLine(page.nextCursor),
      structured: { sessionId: session.header.id, total: files.length, files: page.items, nextCursor: page.nextCursor },
    };
  },
});

function* toItems(files: readonly FileSummary[], offset: number, { clean }: McpLibrary): Generator<PageItem<object>> {
  for (const [at, file] of files.entries()) {
    if (at < offset) continue;
    const { turns, path, agents, name: _name, ...counts } = file;
    const shown = turns.slice(0, MAX_TURNS);
    const item = {
      path: firstWords(cleanText(path, clean, "path"), PATH_CHARACTERS),
      ...counts,
      turns: shown,
      ...(turns.length > shown.length ? { moreTurns: turns.length - shown.length } : {}),
      agents: agents.slice(0, MAX_AGENTS).map((id) => firstWords(cleanText(id, clean, "agent"), NAME_CHARACTERS)),
    };
    yield { item, text: describe(item, file), cursor: String(at) };
  }
}

function describe(
  { path, turns, moreTurns = 0 }: { path: string; turns: readonly number[]; moreTurns?: number },
  { reads, writes, edits, failed, added, removed, isNew, agents, bySession }: FileSummary,
): string {
  const counts = { read: reads, written: writes, edited: edits, failed };
  const done = Object.entries(counts).flatMap(([how, count]) => (count > 0 ? [`${how} ${count}×`] : []));
  const isChanged = writes + edits > 0;
  const lines = added === null || removed === null ? [] : [`+${added} -${removed}`];
  const parts = [
    [...done, ...(isChanged ? lines : []), ...(isNew ? ["new"] : [])].join(", "),
    `turns ${turns.join(", ")}${moreTurns > 0 ? " …" : ""}`,
    ...(agents.length > 0 ? [bySession ? "also by sub-agents" : "by sub-agents"] : []),
  ];
  return `${path}: ${parts.join("; ")}`;
}
