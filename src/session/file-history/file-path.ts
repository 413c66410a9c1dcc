import { posix, win32 } from "node:path";
import { isAbsoluteAnywhere } from "../../format/layout/path-forms.js";

/** One spelling for each file of a session, on whatever system it was recorded. */
export function resolvePath(path: string, cwd: string | null): string {
  const rules = rulesOf(isAbsoluteAnywhere(path) ? path : (cwd ?? path));
  const whole = isAbsoluteAnywhere(path) || cwd === null ? path : rules.join(cwd, path);
  const normal = rules.normalize(whole);
  return normal.length > 1 && normal.endsWith(rules.sep) ? normal.slice(0, -1) : normal;
}

/** With `/` between its parts; undefined for a file outside the folder. */
export function pathBelow(path: string, cwd: string | null): string | undefined {
  if (cwd === null) return undefined;
  const rules = rulesOf(path);
  const start = resolvePath(cwd, null) + (cwd.endsWith(rules.sep) && cwd.length === 1 ? "" : rules.sep);
  return path.startsWith(start) ? path.slice(start.length).replaceAll(rules.sep, "/") : undefined;
}

/** Parts that can be joined to any folder on any system without leaving it. */
export function safePathParts(path: string): string[] {
  return path
    .replace(/^([A-Za-z]):/, "$1/")
    .split(/[\\/]+/)
    .filter((part) => part !== "" && part !== "." && part !== "..");
}

function rulesOf(path: string): typeof posix {
  return isAbsoluteAnywhere(path) && !path.startsWith("/") ? win32 : posix;
}
