import { basename, dirname } from "node:path";
import { projectSlugs } from "../../format/layout/session-paths.js";

/**
 * The folder that a session belongs to: the one that its place is named after, else where it began. The session may have worked
 * elsewhere before and after. Null where no record says.
 */
export function projectOf(
  path: string,
  { firstCwd, lastCwd }: { readonly firstCwd: string | null; readonly lastCwd: string | null },
): string | null {
  const slug = basename(dirname(path));
  return [lastCwd, firstCwd].find((cwd) => cwd !== null && projectSlugs(cwd).includes(slug)) ?? firstCwd ?? lastCwd;
}
