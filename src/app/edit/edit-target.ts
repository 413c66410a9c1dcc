import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { EditSource } from "../../edit/plans/edit-source.js";
import type { EditTarget } from "../../edit/write/write-edit.js";
import { UserError } from "../../errors.js";
import { projectFolders } from "../../format/layout/config-dirs.js";
import {
  configRootOf,
  isSessionId,
  projectSlugs,
  projectsDirOf,
  sessionPaths,
  transcriptOf,
} from "../../format/layout/session-paths.js";
import type { FoundSession } from "../../library/found-session.js";
import type { Environment } from "../settings.js";

export interface EditPlace extends EditTarget {
  readonly id: string;
  /** Whether Claude Code finds it there. */
  readonly isFound: boolean;
  /** The folder to resume it in; null: no record names it. */
  readonly cwd: string | null;
}

/** The requested file, else a new one in the project's folder. */
export function chooseEditTarget(
  found: FoundSession,
  source: EditSource,
  { output, demo }: { readonly output?: string; readonly demo?: boolean },
  environment: Environment,
): EditPlace {
  if (output !== undefined) return namedTarget(resolve(environment.cwd, output), source);
  if (demo || found.source !== null) {
    const where = demo ? "the demo" : `the source "${found.source}"`;
    throw new UserError("usage", `cannot write into ${where}`, "name a file with -o");
  }
  const id = randomUUID();
  const path = transcriptOf(dirname(found.path), id);
  const configRoot = clientRootOf(path);
  return { id, path, configRoot, isFound: configRoot !== null, cwd: cwdFor(path, source) };
}

function namedTarget(path: string, source: EditSource): EditPlace {
  if (!path.endsWith(".jsonl")) {
    throw new UserError("usage", `not a session file name: ${path}`, "end it in .jsonl");
  }
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError("not-found", `no such folder: ${dirname(path)}`, "create it first");
  }
  const { id: name } = sessionPaths(path);
  const isNamedById = isSessionId(name);
  const configRoot = clientRootOf(path);
  return {
    id: isNamedById ? name : randomUUID(),
    path,
    configRoot,
    isFound: isNamedById && configRoot !== null,
    cwd: cwdFor(path, source),
  };
}

/** Claude Code's folder, if the path is where Claude Code puts sessions. */
export function clientRootOf(path: string): string | null {
  const root = configRootOf(path);
  return dirname(dirname(path)) === projectsDirOf(root) && basename(projectsDirOf(root)) === "projects" ? root : null;
}

/** Claude Code looks in a folder named after the working directory. */
function cwdFor(path: string, { outline: { facts } }: EditSource): string | null {
  const folder = basename(dirname(path));
  const known = [facts.firstCwd, facts.lastCwd].filter((cwd) => cwd !== null);
  return known.find((cwd) => projectSlugs(cwd).includes(folder)) ?? known[0] ?? null;
}

/** The folder for sessions of a working directory, below Claude Code's folder. */
export function projectDirOf(root: string, cwd: string, { env }: Environment): string {
  return projectFolders(root, cwd, env)[0];
}
