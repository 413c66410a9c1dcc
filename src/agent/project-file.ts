import { statSync } from "node:fs";
import { homeFolder } from "../own-user.js";
import { findGitRoot, isWithin, realPath } from "./workspace.js";

/**
 * Whether a path in a project leads to something that is not a file of the project. A project can contain links to any file of the
 * person, whose text would be sent to the model or count as settings; a pipe would be waited for.
 */
export function isForeign(path: string, projectRoot: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isDirectory()) return false;
  return !stats.isFile() || !isOwned(path, projectRoot);
}

/** For a notice. */
export function describeForeign(path: string): string {
  return `${path} is not read: it is a link out of the project, or no file`;
}

function isOwned(path: string, projectRoot: string): boolean {
  const place = realPath(path);
  return ownedRoots(projectRoot).some((root) => isWithin(place, root));
}

/** The project and the repository around it, unless that repository contains the home folder. */
export function ownedRoots(projectRoot: string): readonly string[] {
  const repository = realPath(findGitRoot(projectRoot) ?? projectRoot);
  return [realPath(projectRoot), ...(isWithin(realPath(homeFolder()), repository) ? [] : [repository])];
}
