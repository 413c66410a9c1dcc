import { UserError } from "../errors.js";
import type { FileProblem } from "../format/layout/folder-listing.js";
import type { FoundSession, UserData } from "../library/found-session.js";
import { findSessions } from "../library/sources/find-sessions.js";
import { findNamedSession } from "../library/sources/resolve-session.js";
import type { Io } from "./io.js";
import { reportProblems } from "./report-problems.js";
import { demoFolder, type RootOptions, sessionRoots } from "./session-roots.js";

/** The session that a person named; files that cannot be read on the way are told and passed over. */
export function chooseSession(name: string, roots: readonly string[], io: Io, knowledge: UserData): FoundSession {
  const problems: FileProblem[] = [];
  try {
    return findNamedSession(name, roots, problems, knowledge);
  } finally {
    reportProblems(problems, io);
  }
}

/** The same, and the demo session of that name for somebody who has no sessions at all. */
export async function chooseSessionOrDemo(
  name: string,
  options: RootOptions,
  io: Io,
  knowledge: UserData,
): Promise<FoundSession> {
  const roots = await sessionRoots(io, options);
  try {
    return chooseSession(name, roots, io, knowledge);
  } catch (error) {
    const demo = options.configDir === undefined && isNotFound(error) ? chooseDemo(name, roots, knowledge) : undefined;
    if (demo === undefined) throw error;
    io.stderr(`no sessions in ${roots.join(", ")}; this is a demo session\n`);
    return demo;
  }
}

function chooseDemo(name: string, roots: readonly string[], knowledge: UserData): FoundSession | undefined {
  if (findSessions(roots, knowledge).sessions.length > 0) return undefined;
  try {
    return findNamedSession(name, [demoFolder()], [], knowledge);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof UserError && error.code === "not-found";
}
