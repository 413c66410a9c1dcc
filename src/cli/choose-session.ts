import { UserError } from "../errors.js";
import type { FileProblem } from "../format/folder-listing.js";
import { findSessions } from "../library/find-sessions.js";
import { resolveSession } from "../library/name-session.js";
import { demoFolder } from "./demo-folder.js";
import type { Io } from "./io.js";
import { reportProblems } from "./report-problems.js";
import { type RootOptions, sessionRoots } from "./roots.js";

/** The file of the session that a person named; files that cannot be read on the way are told and passed over. */
export function chooseSession(name: string, roots: readonly string[], io: Io): string {
  const problems: FileProblem[] = [];
  try {
    return resolveSession(name, roots, problems);
  } finally {
    reportProblems(problems, io);
  }
}

/** The same, and the demo session of that name for somebody who has no sessions at all. */
export async function chooseSessionOrDemo(name: string, options: RootOptions, io: Io): Promise<string> {
  const roots = await sessionRoots(io, options);
  try {
    return chooseSession(name, roots, io);
  } catch (error) {
    const demo = options.configDir === undefined && isNotFound(error) ? chooseDemo(name, roots) : undefined;
    if (demo === undefined) throw error;
    io.stderr(`no sessions in ${roots.join(", ")}; this is a demo session\n`);
    return demo;
  }
}

function chooseDemo(name: string, roots: readonly string[]): string | undefined {
  if (findSessions(roots).sessions.length > 0) return undefined;
  try {
    return resolveSession(name, [demoFolder()]);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof UserError && error.code === "not-found";
}
