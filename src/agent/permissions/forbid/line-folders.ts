import { resolve } from "node:path";
import { resolveAsPrograms } from "../../workspace.js";
import { isGlob } from "../command/expand-glob.js";
import type { StartedLine } from "../command/started-commands.js";
import type { Situation } from "../judgement.js";

const MAX_FOLDERS = 32;

/** Every folder where a command of the line may run; undefined: that cannot be told. */
export function foldersOf(
  { commands, isOrdered }: StartedLine,
  { workspace }: Situation,
): readonly string[] | undefined {
  const folders = new Set([workspace.cwd]);
  for (const { words, more } of commands) {
    const [name, ...rest] = words;
    if (!/^(?:cd|pushd|popd)$/.test(name?.value ?? "")) continue;
    const [target, ...others] = rest.filter(({ value }) => value !== "--");
    const isPlain = rest.every(({ isCertain, pieces }) => isCertain && !isGlob(pieces)) && others.length === 0;
    const path = target ? target.value : workspace.home;
    if (!isPlain || path === undefined || path.startsWith("-") || name?.value === "popd" || more !== undefined)
      return undefined;
    const isRelative = !path.startsWith("/");
    const isSearched = !/^(?:\/|\.{1,2}(?:\/|$))/.test(path) && hasSearchPath(workspace.variables);
    if (isSearched || (isRelative && !isOrdered)) return undefined;
    for (const folder of [...folders]) {
      // Bash takes `..` for the folder above by name, programs for the one above in fact.
      folders.add(resolveAsPrograms(folder, path));
      folders.add(resolve(folder, path));
    }
    if (folders.size > MAX_FOLDERS) return undefined;
  }
  return [...folders];
}

/** Then `cd` also looks in other folders. */
function hasSearchPath(variables: Readonly<Record<string, string>>): boolean {
  return (variables["CDPATH"] ?? process.env["CDPATH"] ?? "") !== "";
}
