import type { Command } from "commander";
import { listSessions } from "../../library/list-sessions.js";
import type { SessionSummary } from "../../library/session-summary.js";
import { type ListLayout, paintSessionList } from "../../render/session-list.js";
import { createStyle } from "../../render/style.js";
import type { CommandContext } from "../command-context.js";
import { demoFolder } from "../demo-folder.js";
import { addFilterOptions, type FilterOptions, toFilter } from "../filter-options.js";
import type { Io } from "../io.js";
import { maskingRedactor } from "../redaction.js";
import { reportProblems } from "../report-problems.js";
import { sessionRoots } from "../roots.js";
import { isColoured } from "../show-options.js";

interface ListOptions extends FilterOptions {
  readonly configDir?: string;
  readonly json?: boolean;
  readonly all?: boolean;
  readonly demo?: boolean;
  readonly demoWhenEmpty?: boolean;
  readonly reveal?: boolean;
}

export function define(command: Command, { io }: CommandContext): void {
  addFilterOptions(command)
    .option("--all", "empty sessions too")
    .option("--reveal", "do not mask keys and tokens in titles")
    .option("--json", "as JSON")
    .option("--demo", "the bundled demo sessions instead of yours")
    .addOption(command.createOption("--demo-when-empty").hideHelp())
    .action(async (options: ListOptions) => {
      const filter = toFilter(options);
      const roots = options.demo ? [demoFolder()] : sessionRoots(io, options.configDir);
      let { sessions, problems } = listSessions(roots, filter);
      reportProblems(problems, io);
      if (sessions.length === 0 && options.demoWhenEmpty) {
        io.stderr(`no sessions in ${roots.join(", ")}; these are the demo sessions\n`);
        ({ sessions } = listSessions([demoFolder()], filter));
      }
      if (!options.reveal) sessions = maskTitles(sessions);
      if (options.json) await io.stdout(`${JSON.stringify(sessions, null, 2)}\n`);
      else if (sessions.length === 0) io.stderr(`no sessions in ${roots.join(", ")}\n`);
      else await io.stdout(paintSessionList(sessions, listLayout(options, io)));
    });
}

/** All else that a list shows is names and numbers. */
function maskTitles(sessions: readonly SessionSummary[]): SessionSummary[] {
  const redactor = maskingRedactor();
  return sessions.map((session) => ({ ...session, title: redactor.text(session.title, "title") }));
}

function listLayout({ all }: ListOptions, io: Io): ListLayout {
  return { columns: io.columns, style: createStyle(isColoured(io)), showEmpty: all ?? false };
}
