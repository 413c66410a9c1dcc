import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { changeMarks, NO_MARKS, readMarks, type SessionMarks } from "../../../store/user-db.js";
import type { Io } from "../../io.js";
import { printedJson } from "../../terminal/printed-json.js";

export interface MarkOptions extends RootOptions {
  readonly json?: boolean;
  readonly clear?: boolean;
}

/** The marks of a session, after a change if there was one. */
export interface MarkedSession extends SessionMarks {
  readonly id: string;
}

/** Changes only turnlog's own data, never the session. */
export async function markSession(
  name: string,
  options: RootOptions,
  io: Io,
  change?: (marks: SessionMarks) => SessionMarks,
): Promise<MarkedSession> {
  const { id } = chooseSession(name, await sessionRoots(io, options), io, await loadOptions(io));
  const folder = dataFolderOf(io);
  const marks = change ? changeMarks(folder, id, change) : (readMarks(folder).get(id) ?? NO_MARKS);
  return { id, ...marks };
}

export function addMarkOptions(command: Command): Command {
  return command.option("--json", "print your title, tags, note and favourite mark as JSON");
}

/** Prints `text`, or nothing if it is empty. */
export async function printMarks(session: MarkedSession, text: string, { json }: MarkOptions, io: Io): Promise<void> {
  if (json) await io.stdout(printedJson(session, io));
  else if (text !== "") await io.stdout(`${text}\n`);
}

/** The new text; null: remove it; undefined: only print the current one. */
export function wantedText(text: string | undefined, { clear }: MarkOptions, what: string): string | null | undefined {
  if (clear && text !== undefined) {
    throw new UserError("usage", `--clear removes the ${what}, so it takes no text`, "remove one of them");
  }
  if (clear) return null;
  if (text?.trim() === "") throw new UserError("usage", `the ${what} is empty`, `--clear removes the ${what}`);
  return text?.trim();
}
