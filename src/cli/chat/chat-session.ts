import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SessionChoice } from "../../agent/chat-options.js";
import { chooseSession } from "../../app/choose-session.js";
import type { Io } from "../../app/io.js";
import { loadOptions } from "../../app/load-options.js";
import { sessionRoots } from "../../app/roots.js";
import { UserError } from "../../errors.js";
import { isSessionId, projectsDirOf } from "../../format/layout.js";
import { listSessionFiles } from "../../format/list-sessions.js";
import { projectSlugs } from "../../format/slug.js";
import type { ChatFlags } from "./chat-flags.js";

type Choice = Pick<ChatFlags, "continue" | "resume" | "resumeSessionAt" | "forkSession" | "sessionId" | "configDir">;

/** The session to work in: a new one, or one that was named. */
export async function chooseChatSession(flags: Choice, configRoot: string, io: Io): Promise<SessionChoice> {
  if (flags.continue && flags.resume !== undefined) {
    throw new UserError("usage", "--continue and --resume do not go together", "use one of them");
  }
  const path = flags.continue ? lastOfFolder(configRoot, io.cwd) : await named(flags, io);
  if (path !== undefined) {
    if (flags.sessionId !== undefined)
      throw new UserError("usage", "--session-id is for new sessions", "leave it away");
    return { kind: "resume", path, at: flags.resumeSessionAt, isFork: flags.forkSession ?? false };
  }
  if (flags.forkSession || flags.resumeSessionAt !== undefined) {
    const hint = "add --resume <session> or --continue";
    throw new UserError("usage", "--fork-session and --resume-session-at need a session to go on with", hint);
  }
  return { kind: "new", id: newId(flags.sessionId, configRoot, io.cwd) };
}

function newId(id: string | undefined, configRoot: string, cwd: string): string | undefined {
  if (id === undefined) return undefined;
  if (!isSessionId(id)) throw new UserError("usage", `not a session id: ${id}`, "it is a UUID");
  const folder = join(projectsDirOf(configRoot), projectSlugs(cwd)[0]);
  if (existsSync(join(folder, `${id}.jsonl`))) {
    throw new UserError("exists", `session ${id} exists already`, "go on with it by --resume");
  }
  return id;
}

async function named({ resume, configDir }: Choice, io: Io): Promise<string | undefined> {
  if (resume === undefined) return undefined;
  const roots = await sessionRoots(io, configDir === undefined ? {} : { configDir });
  const found = chooseSession(resume, roots, io, await loadOptions(io));
  if (!found.archived) return found.path;
  throw new UserError("not-found", "only the archive has this session", "bring it back with `turnlog archive restore`");
}

/** Where the last session of a folder is, not counting one. */
export function lastOfFolder(configRoot: string, cwd: string, except?: string): string {
  const folders = projectSlugs(cwd).map((slug) => join(projectsDirOf(configRoot), slug));
  const sessions = folders.filter(existsSync).flatMap((folder) => listSessionFiles(folder).sessions);
  const written = sessions
    .filter(({ size, path }) => size > 0 && path !== except)
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  if (written[0]) return written[0].path;
  throw new UserError(
    "not-found",
    `no ${except === undefined ? "" : "other "}session of this folder to go on with`,
    "`turnlog list` shows all sessions",
  );
}
