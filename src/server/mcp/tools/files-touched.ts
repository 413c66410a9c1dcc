import { filesTouched, type TouchedFile } from "../../../library/files-touched.js";
import { loadSession } from "../../../library/load-session.js";
import { skipUnreadable } from "../../../library/skip-unreadable.js";
import type { AskedLibrary } from "../asked-library.js";
import { cleanText, firstWords } from "../cut-text.js";
import { defineTool } from "../define-tool.js";
import { cursorField } from "../filter-fields.js";
import { openNamedSession, sessionField } from "../find-session.js";
import { moreLine, type PageItem, parseCursor, takePage } from "../take-page.js";

const PATH_CHARACTERS = 1000;
const MOST_TURNS = 50;

export const filesTouchedTool = defineTool({
  name: "files_touched",
  title: "Files of a session",
  description:
    "The files that a past session and its sub-agents read, wrote and edited with tools, how often, and in which turns. Use it " +
    "to see what a session changed. What shell commands did to files is not recorded, and so not here.",
  fields: { session: sessionField, cursor: cursorField },
  async answer({ session: name, cursor }, library) {
    const [offset = 0] = parseCursor(cursor, 1);
    const session = await openNamedSession(name, library);
    const files = filesTouched(session, (path) => skipUnreadable(path, [], () => loadSession(path)));
    const page = takePage(toItems(files, offset, library));
    return {
      text: page.items.length === 0 ? "no files" : page.text + moreLine(page.nextCursor),
      structured: { sessionId: session.header.id, total: files.length, files: page.items, nextCursor: page.nextCursor },
    };
  },
});

function* toItems(files: readonly TouchedFile[], offset: number, { clean }: AskedLibrary): Generator<PageItem<object>> {
  for (const [at, file] of files.entries()) {
    if (at < offset) continue;
    const { turns, path, ...counts } = file;
    const shown = turns.slice(0, MOST_TURNS);
    const item = {
      path: firstWords(cleanText(path, clean, "path"), PATH_CHARACTERS),
      ...counts,
      turns: shown,
      ...(turns.length > shown.length ? { moreTurns: turns.length - shown.length } : {}),
    };
    const done = (["read", "written", "edited", "other", "failed"] as const)
      .filter((how) => file[how] > 0)
      .map((how) => `${how} ${file[how]}×`);
    const more = turns.length > shown.length ? " …" : "";
    const where = turns.length > 0 ? `; turns ${shown.join(", ")}${more}` : "";
    yield {
      item,
      text: `${item.path}: ${done.join(", ")}${where}${file.bySubagent ? "; by sub-agent" : ""}`,
      cursor: String(at),
    };
  }
}
