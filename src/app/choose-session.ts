import { UserError } from "../errors.js";
import type { FileProblem } from "../format/layout/folder-listing.js";
import { readRecords } from "../format/reader/record-reader.js";
import { isOfTranscript } from "../format/record/record.js";
import { readTitles } from "../library/catalog/known-titles.js";
import type { FoundSession, UserData } from "../library/found-session.js";
import { findSessions } from "../library/sources/find-sessions.js";
import { findNamedSession } from "../library/sources/resolve-session.js";
import { demoFolder, type RootOptions, sessionRoots } from "./session-roots.js";
import { dataFolderOf, type Environment } from "./settings.js";
import { warnAboutSkipped } from "./skipped-files.js";

/** Finds a session by name; warns about files that cannot be read and skips them. `onTitles`: the name may be a title. */
export function chooseSession(
  name: string,
  roots: readonly string[],
  environment: Environment,
  knowledge: UserData,
  onTitles?: (roots: readonly string[]) => void,
): FoundSession {
  const problems: FileProblem[] = [];
  try {
    const titles = () => {
      onTitles?.(roots);
      return readTitles(dataFolderOf(environment), roots, knowledge.archive);
    };
    return findNamedSession(name, roots, problems, { ...knowledge, titles });
  } finally {
    warnAboutSkipped(problems, environment);
  }
}

/** The same for commands that write or move files: a path could name any file. */
export function requireTranscript(found: FoundSession): FoundSession {
  if (found.size === 0) throw new UserError("unreadable", `${found.path} is empty`, LIST_HINT);
  if (hasTranscriptRecord(found.open())) return found;
  throw new UserError("unreadable", `not a Claude Code session: ${found.path}`, LIST_HINT);
}

const LIST_HINT = "`turnlog list` lists all sessions";

function hasTranscriptRecord(path: string): boolean {
  for (const record of readRecords(path, { abridge: true })) if (isOfTranscript(record)) return true;
  return false;
}

/** The same, or the demo session of that name if there are no sessions at all. */
export async function chooseSessionOrDemo(
  name: string,
  options: RootOptions,
  environment: Environment,
  knowledge: UserData,
  onTitles?: (roots: readonly string[]) => void,
): Promise<FoundSession> {
  const roots = await sessionRoots(environment, options);
  try {
    return chooseSession(name, roots, environment, knowledge, onTitles);
  } catch (error) {
    const demo = options.configDir === undefined && isNotFound(error) ? chooseDemo(name, roots, knowledge) : undefined;
    if (demo === undefined) throw error;
    environment.warn(`no sessions in ${roots.join(", ")}; showing a demo session`);
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
