import { stringAt } from "../format/json.js";
import { type FileTouch, toFileTouch } from "../session/file-touch.js";
import { runSteps } from "../session/run-steps.js";
import { listShellChanges, type ShellChange } from "../session/shell-changes.js";
import { type FileSite, listFileSites, readSiteCall, SHELL_TOOL } from "./file-sites.js";
import type { LoadedSession } from "./load-session.js";

export interface ListedTouch extends FileTouch {
  readonly site: FileSite;
}

/** What a shell command perhaps did. */
export interface ListedCommand extends ShellChange {
  readonly site: FileSite;
  readonly command: string;
}

/** Everything that a session and its sub-agents did with files, in the order of time, without contents. */
export interface SessionFiles {
  readonly session: LoadedSession;
  readonly cwd: string | null;
  readonly touches: readonly ListedTouch[];
  readonly commands: readonly ListedCommand[];
}

export function listSessionFiles(session: LoadedSession): SessionFiles {
  return runSteps(listingSessionFiles(session));
}

/** The same, call by call, for those who have others to answer in between. */
export function* listingSessionFiles(session: LoadedSession): Generator<void, SessionFiles> {
  const cwd = session.outline.facts.firstCwd;
  const touches: ListedTouch[] = [];
  const commands: ListedCommand[] = [];
  for (const site of listFileSites(session)) {
    if (site.name === SHELL_TOOL) commands.push(...commandsAt(site, cwd));
    else touches.push(...touchesAt(site, cwd));
    yield;
  }
  return { session, cwd, touches, commands };
}

function touchesAt(site: FileSite, cwd: string | null): ListedTouch[] {
  const found = readSiteCall(site, site.name === "Read" ? "input" : "whole");
  const touch = found && toFileTouch(found.call, found.cwd ?? cwd);
  return touch ? [{ ...touch, site }] : [];
}

/** A command that failed or never ran is left out. */
function commandsAt(site: FileSite, cwd: string | null): ListedCommand[] {
  if (site.status === "error" || site.status === "denied") return [];
  const found = readSiteCall(site, "input");
  const command = stringAt(found?.call.input, "command") ?? "";
  return listShellChanges(command, found?.cwd ?? cwd).map((change) => ({ ...change, site, command }));
}
