import { sep } from "node:path";

/** Whether a path lies below one of the roots. */
export function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path.startsWith(root.endsWith(sep) ? root : root + sep));
}
