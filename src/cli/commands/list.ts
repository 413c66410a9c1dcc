import type { Command } from "commander";
import { listLibrary, type SessionList } from "../../library/list-sessions.js";
import type { SessionFilter } from "../../library/session-filter.js";
import type { SessionSummary } from "../../library/session-summary.js";
import { formatCount } from "../../render/format-values.js";
import { type ListLayout, paintSessionList } from "../../render/session-list.js";
import { createStyle } from "../../render/style.js";
import type { CommandContext } from "../command-context.js";
import { addFilterOptions, type FilterOptions, toFilter } from "../filter-options.js";
import type { Io } from "../io.js";
import { addIndexOption, type IndexOptions, withIndex } from "../library-index.js";
import { loadOptions } from "../load-options.js";
import { maskingRedactor } from "../redaction.js";
import { reportProblems } from "../report-problems.js";
import { type RootOptions, sessionRoots } from "../roots.js";
import { isColoured } from "../show-options.js";

interface ListOptions extends FilterOptions, RootOptions, IndexOptions {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly reveal?: boolean;
}

export function define(command: Command, { io }: CommandContext): void {
  addIndexOption(addFilterOptions(command))
    .option("--all", "empty sessions too")
    .option("--reveal", "do not mask keys and tokens in titles and notes")
    .option("--json", "as JSON")
    .action(async (options: ListOptions) => {
      const filter = toFilter(options);
      const roots = await sessionRoots(io, options);
      const load = await loadOptions(io);
      const list = await withIndex(io, roots, options, (index, sync) => listLibrary(index, sync, roots, filter, load));
      reportProblems(list.problems, io);
      for (const note of notesOn(list, filter, roots)) io.stderr(`${note}\n`);
      const sessions = options.reveal ? list.sessions : maskTexts(list.sessions);
      if (options.json) await io.stdout(`${JSON.stringify(sessions, null, 2)}\n`);
      else if (sessions.length > 0) await io.stdout(paintSessionList(sessions, listLayout(options, io)));
    });
}

/** Why a list is empty or shorter than the folders suggest. */
function* notesOn(list: SessionList, filter: SessionFilter, roots: readonly string[]): Generator<string> {
  if (list.withoutTranscript > 0) {
    yield `${formatCount(list.withoutTranscript, "session")} without transcript (only side files survive)`;
  }
  if (list.found === 0) yield `no sessions in ${roots.join(", ")} (--demo shows demo sessions)`;
  else if (list.sessions.length === 0) {
    yield Object.keys(filter).length > 0 ? "no session matches the filter" : "no session can be read";
  }
}

/** All else that a list shows is names and numbers. */
function maskTexts(sessions: readonly SessionSummary[]): SessionSummary[] {
  const redactor = maskingRedactor();
  const masked = (text: string | null) => (text === null ? null : redactor.text(text, "title"));
  return sessions.map((session) => ({
    ...session,
    title: redactor.text(session.title, "title"),
    userTitle: masked(session.userTitle),
    note: masked(session.note),
  }));
}

function listLayout({ all }: ListOptions, io: Io): ListLayout {
  return { columns: io.columns, style: createStyle(isColoured(io)), showEmpty: all ?? false };
}
