import { resolvePath } from "./file-path.js";

/** A file that a shell command may have moved or removed: whether it did is not recorded. */
export interface ShellChange {
  readonly kind: "moved" | "removed";
  readonly path: string;
  readonly to: string | null;
}

/** Simple commands only: `mv a b`, `rm a`, the same with `git`, in a sequence, after a `cd`. */
export function listShellChanges(command: string, cwd: string | null): ShellChange[] {
  if (command.includes("<<")) return []; // a here document
  let folder = cwd;
  let isLost = false; // the working folder is unknown
  return command.split(/&&|;|\n/).flatMap((part) => {
    if (isLost || !/^\s*(git\s|mv\s|rm\s|cd\s|pushd\s)/.test(part)) return [];
    const words = plainWords(part);
    isLost = words === undefined && /^\s*(cd|pushd)/.test(part);
    const [name, ...args] = words?.[0] === "git" ? words.slice(1) : (words ?? []);
    if (name === "cd" && args[0] !== undefined) folder = resolvePath(args[0], folder);
    const names = args.filter((word) => !word.startsWith("-"));
    const paths = names.map((path) => resolvePath(path, folder));
    if (name === "rm") return paths.map((path): ShellChange => ({ kind: "removed", path, to: null }));
    return name === "mv" ? movedFile(paths, names[1] ?? "") : [];
  });
}

/** A target that is a folder is recognized only by its final slash. */
function movedFile([path, to, ...others]: readonly string[], spelled: string): ShellChange[] {
  if (path === undefined || to === undefined || others.length > 0) return [];
  const isFolder = spelled.endsWith("/");
  return [{ kind: "moved", path, to: isFolder ? `${to}/${path.split("/").at(-1)}` : to }];
}

const WORD = /"([^"\\$`]*)"|'([^']*)'|([^\s"'\\$`*?[\]{}()<>|&~#!]+)/y;

/** Undefined where the shell would expand or interpret a word. */
function plainWords(command: string): string[] | undefined {
  const words: string[] = [];
  const text = command.trim();
  for (let at = 0; at < text.length; ) {
    WORD.lastIndex = at;
    const match = WORD.exec(text);
    const next = text[WORD.lastIndex];
    if (!match || (next !== undefined && !/\s/.test(next))) return undefined;
    words.push(match[1] ?? match[2] ?? match[3] ?? "");
    at = WORD.lastIndex + (/^\s*/.exec(text.slice(WORD.lastIndex))?.[0].length ?? 0);
  }
  return words;
}
