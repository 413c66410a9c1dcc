import { readdirSync } from "node:fs";
import { resolveAsPrograms } from "../tools/workspace.js";

const MAX_PATHS = 2_000;

/** The files that a pattern of the shell may stand for: at least those, and no link followed. Undefined: too many. */
export function expandPattern(pattern: string, folder: string): readonly string[] | undefined {
  let paths = [pattern.startsWith("/") ? "/" : folder];
  for (const segment of pattern.split("/").filter((part) => part !== "")) {
    const next: string[] = [];
    for (const path of paths) {
      next.push(...(/[*?[]/.test(segment) ? entriesLike(path, segment) : [resolveAsPrograms(path, segment)]));
      if (next.length > MAX_PATHS) return undefined;
    }
    paths = next;
  }
  return paths;
}

/** Only beginning and end are compared. Names that begin with a dot are meant by patterns that do, among them `..`. */
function entriesLike(folder: string, segment: string): readonly string[] {
  const beginning = /^[^*?[]*/.exec(segment)?.[0] ?? "";
  const end = /[^*?[\]]*$/.exec(segment)?.[0] ?? "";
  const isHidden = segment.startsWith(".");
  const names = isHidden ? [".", "..", ...namesIn(folder)] : namesIn(folder);
  return names
    .filter((name) => name.startsWith(".") === isHidden && name.startsWith(beginning) && name.endsWith(end))
    .map((name) => resolveAsPrograms(folder, name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no folder, or none that can be read: the shell finds nothing there either
  }
}
