/** The longest folder name that clients leave as it is; 2.1.325 shortens longer ones, 2.1.45 and older do not. */
const MAX_PLAIN_SLUG = 200;

/**
 * The folder name of a working directory below `projects/`. Every UTF-16 code unit outside [A-Za-z0-9] becomes "-":
 * `é` gives one, `😀` two. Lossy, so it is never decoded; the real path is the `cwd` of the lines.
 */
export function projectSlug(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, "-");
}

/** Every folder name that some client version gives to `cwd`, the newest version's first. */
export function projectSlugs(cwd: string): readonly [string, ...string[]] {
  const plain = projectSlug(cwd);
  if (plain.length <= MAX_PLAIN_SLUG) return [plain];
  return [`${plain.slice(0, MAX_PLAIN_SLUG)}-${pathHash(cwd)}`, plain];
}

/** The 32-bit string hash that 2.1.325 appends, taken over the path itself and not over its slug. */
function pathHash(path: string): string {
  let hash = 0;
  for (let index = 0; index < path.length; index++) {
    hash = ((hash << 5) - hash + path.charCodeAt(index)) | 0;
  }
  return Math.abs(hash).toString(36);
}
