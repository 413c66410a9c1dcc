import { basename } from "node:path";
import * as z from "zod";
import { type ChangedFile, viewingChanges } from "../../../app/changes/session-changes.js";
import { UserError } from "../../../errors.js";
import { expandHome } from "../../../format/layout/path-forms.js";
import { runSteps } from "../../../lazy.js";
import { findChangingSessions } from "../../../library/links/changing-sessions.js";
import type { SessionSummary } from "../../../library/load/session-summary.js";
import { listTouchedFiles } from "../../../library/load/touched-files.js";
import { homeFolder } from "../../../own-user.js";
import { type FileSummary, sumFiles } from "../../../session/file-history/file-touches.js";
import { cleanText, cutText, firstWords, moreLine, type PageItem, parseCursor, takePage } from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import type { McpAnswer } from "../mcp-tool.js";
import { cursorField, defineMcpTool, limitField, openNamedSession, projectField, sessionField } from "../mcp-tool.js";

const NAME_CHARACTERS = 300;
const DIFF_CHARACTERS = 1500;
const WHOLE_DIFF_CHARACTERS = 12_000;
const MAX_TURNS = 30;
const MAX_NOTES = 5;
const DEFAULT_LIMIT = 20;
/** Each is read: an answer must not take long. */
const MOST_SESSIONS_READ = 60;

export const changedFilesTool = defineMcpTool({
  name: "changed_files",
  title: "Changes to files",
  description:
    "With session: the files that it and its sub-agents changed, with added and removed lines and the beginning of the diff; with " +
    "session and path, more of the diff of that file. With path alone: which past sessions changed that file, latest first, and in which " +
    "turns. Changes by shell commands are known only where Claude Code recorded them.",
  fields: {
    session: sessionField.optional().describe("Files of this session: id, unique id prefix, exact title, or `last`"),
    path: z
      .string()
      .min(1)
      .max(4000)
      .optional()
      .describe("A file: its path, or the end of it such as src/cart.ts (a leading ~ is the home folder)"),
    project: projectField,
    limit: limitField(DEFAULT_LIMIT, 100),
    cursor: cursorField,
  },
  async answer({ session, path: given, project, limit = DEFAULT_LIMIT, cursor }, library) {
    const [offset = 0] = parseCursor(cursor, 1);
    const path = given === undefined ? undefined : expandHome(given, homeFolder());
    if (session !== undefined) return changesOf(session, { path, offset, limit }, library);
    if (path === undefined) {
      throw new UserError("usage", "name a session or a path", "a session for its files, a path for its sessions");
    }
    return sessionsThatChanged(path, { project, offset, limit }, library);
  },
});

interface Paging {
  readonly offset: number;
  readonly limit: number;
}

async function changesOf(
  name: string,
  { path, offset, limit }: Paging & { readonly path: string | undefined },
  library: McpLibrary,
): Promise<McpAnswer> {
  const session = await openNamedSession(name, library);
  const view = runSteps(viewingChanges(listTouchedFiles(session), { clean: library.clean }));
  const files = view.files.filter((file) => path === undefined || isFile(file.path, path, library));
  const characters = path === undefined ? DIFF_CHARACTERS : WHOLE_DIFF_CHARACTERS;
  const page = takePage(fileItems(files, { offset, characters }, library), limit);
  const none = path === undefined ? "no changes to files are recorded" : "the session did not change such a file";
  return {
    text: page.items.length === 0 ? none : page.text + moreLine(page.nextCursor),
    structured: { sessionId: session.header.id, total: files.length, files: page.items, nextCursor: page.nextCursor },
  };
}

/** Two names of a file: one may be the end of the other, and answers shorten the home folder. */
function isFile(path: string, wanted: string, { clean }: McpLibrary): boolean {
  const isSame = (one: string) => one === wanted || one.endsWith(`/${wanted.replace(/^\.?\//, "")}`);
  return isSame(path) || path === clean(wanted, "path");
}

function* fileItems(
  files: readonly ChangedFile[],
  { offset, characters }: { readonly offset: number; readonly characters: number },
  library: McpLibrary,
): Generator<PageItem<object>> {
  for (const [at, file] of files.entries()) {
    if (at < offset) continue;
    const { state, added, removed, isWhole, steps, notes } = file;
    const diff = cleanText(diffText(file), library.clean, "diff");
    const { text, end } = cutText(diff, 0, characters);
    const item = {
      path: firstWords(cleanText(file.path, library.clean, "path"), NAME_CHARACTERS),
      ...{ state, added, removed, isWhole },
      turns: [...new Set(steps.map(({ turn }) => turn))].slice(0, MAX_TURNS),
      diff: text,
      isCut: end < diff.length || file.hunks === null,
      notes: notes
        .slice(0, MAX_NOTES)
        .map((note) => firstWords(cleanText(note, library.clean, "diff"), NAME_CHARACTERS)),
    };
    const heading = `${item.path}: ${state}, +${added} -${removed}, turns ${item.turns.join(", ")}`;
    const more = item.isCut ? "\n… (cut: call changed_files with this session and path)" : "";
    yield { item, text: `${heading}\n${text}${more}`, cursor: String(at) };
  }
}

function diffText({ hunks }: ChangedFile): string {
  return (hunks ?? [])
    .map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      const place = oldStart === 0 && newStart === 0 ? "" : `-${oldStart},${oldLines} +${newStart},${newLines} `;
      return `@@ ${place}@@\n${lines.join("\n")}\n`;
    })
    .join("");
}

async function sessionsThatChanged(
  path: string,
  { project, offset, limit }: Paging & { readonly project: string | undefined },
  library: McpLibrary,
): Promise<McpAnswer> {
  const { archive } = await library.loadOptions();
  const changing = await library.withIndex((index) => {
    const where = { roots: library.roots, archive, db: index?.db, behind: undefined };
    return new Set(findChangingSessions([basename(path)], where, []).map((session) => session.path));
  });
  const listed = await library.list(project);
  const candidates = listed.filter((session) => changing.has(session.path));
  const items: PageItem<object>[] = [];
  let next = offset;
  while (next < candidates.length && next - offset < MOST_SESSIONS_READ && items.length <= limit) {
    const [session] = candidates.slice(next);
    const changes = session ? await changesTo(path, session, library) : [];
    if (session && changes.length > 0) items.push(sessionItem(session, changes, next, library));
    next += 1;
  }
  const page = takePage(items, limit);
  const nextCursor = page.nextCursor ?? (next < candidates.length ? String(next) : null);
  const none = nextCursor === null ? "no recorded session changed such a file" : "none so far";
  return {
    text: (page.items.length === 0 ? none : page.text) + moreLine(nextCursor),
    structured: { sessions: page.items, nextCursor },
  };
}

async function changesTo(path: string, session: SessionSummary, library: McpLibrary): Promise<FileSummary[]> {
  const { touches, cwd } = listTouchedFiles(await library.open(session));
  const own = touches.filter((touch) => touch.kind !== "read" && touch.status === "ok");
  return sumFiles(
    own.filter((touch) => isFile(touch.path, path, library)),
    cwd,
  );
}

function sessionItem(
  { id, title, project, endedAt }: SessionSummary,
  files: readonly FileSummary[],
  at: number,
  { clean }: McpLibrary,
): PageItem<object> {
  const short = (text: string | null) => text && firstWords(cleanText(text, clean, "session"), NAME_CHARACTERS);
  const item = {
    sessionId: id,
    title: short(title),
    project: short(project),
    endedAt,
    files: files.slice(0, MAX_NOTES).map(({ path, writes, edits, isNew, added, removed, turns }) => ({
      path: short(path),
      ...{ writes, edits, isNew, added, removed },
      turns: turns.slice(0, MAX_TURNS),
    })),
  };
  const lines = item.files.map(({ path, added, removed, turns }) => {
    const count = added === null || removed === null ? "" : ` +${added} -${removed}`;
    return `  ${path}:${count}, turns ${turns.join(", ")}`;
  });
  return { item, text: [`${id} "${item.title}" (${endedAt ?? "?"})`, ...lines].join("\n"), cursor: String(at) };
}
