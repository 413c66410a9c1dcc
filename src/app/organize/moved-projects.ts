import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { projectIdentity } from "../../format/git/git-remotes.js";
import { remoteIdentity } from "../../format/git/remote-identity.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { clientStateFiles, readClientState } from "../../library/shared-files/last-sessions.js";
import { findProjects } from "../../library/sources/find-projects.js";
import { findSessions } from "../../library/sources/find-sessions.js";

/** A project whose folder is gone, and where it probably is now. */
export interface MovedProject {
  readonly from: string;
  readonly sessions: number;
  /** Folders of the same repository that are there. */
  readonly to: readonly string[];
}

/**
 * Claude Code notes which folders belong to a repository of GitHub, so it still knows that of a folder that is gone. A project
 * without such a note, or without another folder of its repository, is not told: its name alone proves nothing.
 */
export function findMovedProjects(root: string, cwd: string): MovedProject[] {
  const projects = findProjects(findSessions([root]).sessions);
  const gone = projects.filter(({ folder }) => !existsSync(folder));
  const noted = gone.length === 0 ? [] : readRepositories(root);
  const there = projects.flatMap(({ folder }) => (existsSync(folder) ? [folder] : []));
  return gone.flatMap(({ folder: from, sessions }) => {
    const repository = noted.find(({ folders }) => folders.includes(from));
    if (!repository) return [];
    const isSame = (folder: string) => projectIdentity(folder) === repository.identity;
    const to = [...new Set([cwd, ...repository.folders, ...there])].filter(
      (folder) => existsSync(folder) && isSame(folder),
    );
    return to.length === 0 ? [] : [{ from, sessions: sessions.length, to }];
  });
}

interface Repository {
  readonly identity: string;
  readonly folders: readonly string[];
}

function readRepositories(root: string): Repository[] {
  return clientStateFiles(root).flatMap((path) => {
    const state = tryParseJson(readClientState(path)?.toString("utf8") ?? "");
    const noted = isObject(state) && isObject(state["githubRepoPaths"]) ? state["githubRepoPaths"] : {};
    return Object.entries(noted).map(([name, folders]) => ({
      identity: remoteIdentity(`https://github.com/${name}`) ?? "",
      folders: Array.isArray(folders)
        ? folders.filter((folder) => typeof folder === "string").map((folder) => resolve(folder))
        : [],
    }));
  });
}
