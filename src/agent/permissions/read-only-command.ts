import { isWithin } from "../tools/workspace.js";

const READERS = new Set(
  "basename cat column cut date diff dirname du echo false file grep head hostname id ls nl paste printf pwd readlink realpath rev rg sleep sort stat tail tr tree true type uname uniq wc which whoami".split(
    " ",
  ),
);
const GIT_READERS =
  /^git (?:status|diff|log|show|blame|shortlog|describe|rev-parse|ls-files|branch(?: (?:-a|-r|-v|-vv|--list|--show-current))*$)(?:\s|$)/;
/** Options by which a reader writes or runs something. */
const HARMFUL_OPTIONS =
  /(?:^|\s)(?:-o\S*|--output\S*|--pre\S*|--exec\S*|--ext-diff|--hostname-bin\S*|--open-files-in-pager\S*|-O\S*)(?:\s|=|$)/;

/** A command that changes nothing and looks at nothing outside of the allowed folders. */
export function isReadOnlyCommand(
  command: string,
  cwd: string,
  resolve: (path: string) => string,
  roots: readonly string[],
): boolean {
  const [name = ""] = command.split(/\s+/, 1);
  if (!READERS.has(name) && !GIT_READERS.test(command)) return false;
  if (HARMFUL_OPTIONS.test(command) || /[$`~]/.test(command)) return false;
  const paths = command
    .split(/\s+/)
    .slice(1)
    .map(withoutQuotes)
    .filter((word) => word.includes("/") || word.includes(".."));
  const isInside = (path: string) => roots.some((root) => isWithin(resolve(path), root));
  return isInside(cwd) && paths.every((path) => !path.startsWith("-") && isInside(path));
}

function withoutQuotes(word: string): string {
  return word.replace(/["']/g, "");
}
