import type { Command } from "commander";
import type { RootOptions } from "../../app/session-roots.js";
import type { ReportOptions } from "../report/edit-report.js";
import { SESSION } from "./session-argument.js";

/** The options of every command that creates a session from another one. */
export interface EditCommandOptions extends RootOptions, ReportOptions {
  readonly dryRun?: boolean;
  readonly title?: string;
  readonly output?: string;
  readonly keepUuids?: boolean;
  /** Set by the command: see PrepareOptions. */
  readonly sketchesBodies?: boolean;
  readonly readsWhole?: boolean;
}

export function addEditOptions(command: Command): Command {
  return command
    .argument("<session>", SESSION)
    .option("--title <title>", "title of the new session (default: old title plus the operation)")
    .option("-o, --output <file>", "write to this file (default: a new file in the project's folder)")
    .option("--keep-uuids", "keep the uuids of records, as Claude Code's own forks do")
    .option("--dry-run", "print the plan, write nothing")
    .option("--json", "print the result as JSON");
}
