import { lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../errors.js";
import { fileEventReader, type TouchedFiles } from "../library/load/touched-files.js";
import { pathBelow, resolvePath, safePathParts } from "../session/file-history/file-path.js";
import { contentAt } from "../session/file-history/fold-file.js";
import { makeFolder } from "../store/make-folder.js";
import { isBelow, refusePlace, writeOutputFile } from "./output-file.js";
import type { Environment } from "./settings.js";

export interface RestoreRequest {
  readonly path: string; // as typed
  readonly turn: number;
  readonly to: string | undefined;
  readonly force: boolean;
  readonly roots: readonly string[];
}

export interface RestoredFile {
  readonly path: string; // of the file in the session, or where it was written
  readonly content: string;
  readonly isWritten: boolean;
  /** Why the content may differ from the original; empty if it is exact. */
  readonly doubts: readonly string[];
}

/** A file as of the end of a turn. Written below `to`, or in place with `force` alone; else only returned. */
export async function restoreFile(
  files: TouchedFiles,
  request: RestoreRequest,
  { cwd }: Environment,
): Promise<RestoredFile> {
  const isWritten = request.to !== undefined || request.force;
  const path = findPath(files, request.path, request.to !== undefined || !request.force);
  const { content, doubts } = contentAt(fileEventReader(files)(path), request.turn);
  if (typeof content !== "string") throw noContent(path, content, request.turn, doubts);
  if (!isWritten) return { path, content, isWritten, doubts };
  const target = request.to === undefined ? path : targetBelow(resolve(cwd, request.to), path, files, request);
  const output = { path: target, overwrite: request.force, source: files.session.path, roots: request.roots };
  await writeOutputFile(output, [content]);
  return { path: target, content, isWritten, doubts };
}

/** A path as the session has it, relative to its folder, or a unique end of the path. */
function findPath({ touches, cwd }: TouchedFiles, typed: string, mayGuess: boolean): string {
  const paths = [...new Set(touches.map(({ path }) => path))];
  const exact = resolvePath(typed, cwd);
  if (paths.includes(exact)) return exact;
  const ending = `/${typed.replaceAll("\\", "/")}`;
  const matches = paths.filter((path) => path.replaceAll("\\", "/").endsWith(ending));
  const [match, ...others] = mayGuess ? matches : [];
  if (match !== undefined && others.length === 0) return match;
  if (others.length > 0) {
    throw new UserError("ambiguous", `several files end in ${typed}`, `use one of ${matches.slice(0, 5).join(", ")}`);
  }
  const hint = matches[0] === undefined ? "`turnlog files <session>` lists them" : `did you mean ${matches[0]}?`;
  throw new UserError("not-found", `the session did not touch a file ${typed}`, hint);
}

function noContent(path: string, content: null | undefined, turn: number, doubts: readonly string[]): UserError {
  if (content === null) return new UserError("not-found", `${path} did not exist at the end of turn ${turn}`);
  return new UserError(
    "not-found",
    `the content of ${path} at the end of turn ${turn} is not known`,
    doubts.join("; "),
  );
}

/** Checks the place before anything is created. */
function targetBelow(folder: string, path: string, { cwd, session }: TouchedFiles, { roots }: RestoreRequest): string {
  refusePlace(withoutLinks(folder), { path: folder, source: session.path, roots });
  return placeBelow(folder, safePathParts(pathBelow(path, cwd) ?? path));
}

function withoutLinks(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })) return realpathSync(folder);
  return dirname(folder) === folder ? folder : join(withoutLinks(dirname(folder)), basename(folder));
}

/** Creates the folders in between; rejects links out of the folder. */
function placeBelow(folder: string, parts: readonly string[]): string {
  makeFolder(folder, 0o777);
  const root = realpathSync(folder);
  let place = root;
  parts.forEach((part, at) => {
    place = join(place, part);
    if (at < parts.length - 1 && !lstatSync(place, { throwIfNoEntry: false })) mkdirSync(place);
    if (statSync(place, { throwIfNoEntry: false }) && !isBelow(realpathSync(place), root)) {
      throw new UserError("exists", `${place} is a link out of ${folder}`, "choose an empty folder with --to");
    }
  });
  return place;
}
