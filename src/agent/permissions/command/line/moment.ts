/** What is known of the shell when a command of the line begins. */
export interface Moment {
  readonly folders: Folders;
  /** Those that the line itself set; undefined: to a text that is known only when it runs. */
  readonly variables: Variables;
}

/** Folders where a command may run; undefined: anywhere. */
export type Folders = readonly string[] | undefined;

export type Variables = ReadonlyMap<string, string | undefined>;

const MAX_FOLDERS = 32;

/** What is known if one of these is true. */
export function either(first: Moment, ...others: readonly Moment[]): Moment {
  return others.reduce(
    (left, right) => ({
      folders: bothFolders(left.folders, right.folders),
      variables: new Map(
        [...left.variables].filter(([name, value]) => right.variables.has(name) && right.variables.get(name) === value),
      ),
    }),
    first,
  );
}

function bothFolders(left: Folders, right: Folders): Folders {
  if (left === undefined || right === undefined) return undefined;
  const folders = [...new Set([...left, ...right])];
  return folders.length > MAX_FOLDERS ? undefined : folders;
}

/** Variables that mean something to bash itself, or to a program that the line may start. */
const SPECIAL =
  /^(?:_|BASH\w*|CDPATH|COLUMNS|COMP\w*|COPROC|DIRSTACK|ENV|EPOCH\w*|EUID|EXECIGNORE|FCEDIT|FIGNORE|FUNC\w*|GIT_\w*|GLOB\w*|GROUPS|HIST\w*|HOME|HOST\w*|IFS|IGNOREEOF|INPUTRC|INSIDE_EMACS|LANG\w*|LC_\w*|LD_\w*|DYLD_\w*|LINENO|LINES|MACHTYPE|MAIL\w*|MAPFILE|OLDPWD|OPT(?:ARG|ERR|IND)|OSTYPE|PAGER|PATH|PIPESTATUS|POSIXLY_CORRECT|PPID|PROMPT_\w*|PS\d|PWD|RANDOM|READLINE_\w*|REPLY|SECONDS|SHELL\w*|SHLVL|SRANDOM|SSH_\w*|TERM\w*|TEXTDOMAIN\w*|TIMEFORMAT|TMOUT|TMPDIR|TZ|UID|auto_resume|histchars)$/;

/** Whether setting it has no effect but on the words of the line: no program sees it. */
export function isLocalName(name: string, variables: Readonly<Record<string, string>>): boolean {
  return !SPECIAL.test(name) && !(name in process.env) && !Object.hasOwn(variables, name);
}
