import { parseGitConfig } from "../../format/git/git-config.js";

/*
 * Git never reads the configuration of a stranger's folder, because dozens of its settings are programs. A few settings decide
 * what a status says (the upstream of a branch, whether modes count). They are read here, checked by kind and written into the
 * shadow's own configuration. What is not listed has no effect.
 */

/** Lines of a git configuration. */
export type CopiedSettings = readonly string[];

const BOOLEAN = /^(?:true|false|yes|no|on|off|1|0)$/i;
const REF = /^refs\/[\w./@+-]+$/;
const REFSPEC = /^\+?refs\/[\w./@+*-]+:refs\/[\w./@+*-]+$/;
const NAME = /^[\w./@+-]+$/;
/** Without a password, and without `::`, which names a program. */
const ADDRESS =
  /^(?:(?:https?|ssh|git|file):\/\/(?:[\w.-]+@)?(?:[\w.-]+(?::\d+)?)?\/[\w./~+-]*|[\w.-]+@[\w.-]+:[\w./~+-]+|\/[\w./~+-]+)$/;

const COPIED: Readonly<Record<string, RegExp>> = {
  "core.filemode": BOOLEAN,
  "core.ignorecase": BOOLEAN,
  "core.precomposeunicode": BOOLEAN,
  "core.symlinks": BOOLEAN,
  "core.trustctime": BOOLEAN,
  "core.quotepath": BOOLEAN,
  "core.autocrlf": /^(?:true|false|input)$/i,
  "core.eol": /^(?:lf|crlf|native)$/i,
  "status.showuntrackedfiles": /^(?:no|normal|all)$/i,
  "branch.*.remote": NAME,
  "branch.*.merge": REF,
  "remote.*.url": ADDRESS,
  "remote.*.fetch": REFSPEC,
};

/** Settings without which git would look elsewhere or read the data in another way: undefined is returned. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  "core.bare": /^(?!(?:false|no|off|0)$)/i,
  "core.worktree": /^/,
  "core.repositoryformatversion": /^(?![01]$)/,
};

/** Extensions that change nothing in what is read. */
const KNOWN_EXTENSIONS = new Set([
  "extensions.noop",
  "extensions.preciousobjects",
  "extensions.partialclone",
  "extensions.worktreeconfig",
]);

const LONG_HASHES = "\tobjectFormat = sha256";

export function usesLongHashes(settings: CopiedSettings): boolean {
  return settings.includes(LONG_HASHES);
}

/** Undefined: not a configuration that git would accept, or of a repository that is not ordinary. */
export function readCopiedSettings(text: string): CopiedSettings | undefined {
  const settings = parseGitConfig(text);
  if (!settings) return undefined;
  const kept: string[] = ["[core]", "\trepositoryformatversion = 0"];
  for (const { section, name, key, value } of settings) {
    const form = `${section}.${name === "" ? "" : "*."}${key}`;
    if (form === "extensions.objectformat") {
      if (value.toLowerCase() === "sha1") continue;
      if (value.toLowerCase() !== "sha256") return undefined;
      kept.push("[core]", "\trepositoryformatversion = 1", "[extensions]", LONG_HASHES);
      continue;
    }
    if ((section === "extensions" && !KNOWN_EXTENSIONS.has(form)) || REFUSED[form]?.test(value)) return undefined;
    if (COPIED[form]?.test(value) && (name === "" || NAME.test(name)))
      kept.push(name === "" ? `[${section}]` : `[${section} "${name}"]`, `\t${key} = ${value}`);
  }
  return kept;
}

const ANY_TEXT = /^/;

/** What git itself or a person writes into the configuration of a new repository, without naming a program. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  ...COPIED,
  "core.repositoryformatversion": /^[01]$/,
  "core.bare": BOOLEAN,
  "core.logallrefupdates": /^(?:true|false|always)$/i,
  "extensions.objectformat": NAME,
  "extensions.partialclone": NAME,
  "init.defaultbranch": NAME,
  "user.name": ANY_TEXT,
  "user.email": ANY_TEXT,
  "commit.gpgsign": BOOLEAN,
  "pull.rebase": BOOLEAN,
  "push.default": NAME,
  "gc.auto": /^\d+$/,
  "remote.*.url": /^(?!-|.*::)/,
  "remote.*.mirror": BOOLEAN,
  "remote.*.promisor": BOOLEAN,
  "remote.*.partialclonefilter": /^[\w:=+-]+$/,
};

/** Whether no setting could make git run a program or look elsewhere. Git reads a `\` at the end of a comment differently. */
export function isHarmlessConfiguration(text: string): boolean {
  const settings = text.includes("\\") ? undefined : parseGitConfig(text);
  return (
    settings?.every(({ section, name, key, value }) =>
      HARMLESS[`${section}.${name === "" ? "" : "*."}${key}`]?.test(value),
    ) ?? false
  );
}

const PATH = /^[\w.~/ +-]+$/;

/** The person's own list of files that git ignores: the last `core.excludesFile` of these configurations. */
export function readExcludesFile(texts: readonly string[]): string | undefined {
  const values = texts
    .flatMap((text) => parseGitConfig(text) ?? [])
    .filter(({ section, name, key, value }) => `${section}.${name}${key}` === "core.excludesfile" && PATH.test(value));
  return values.at(-1)?.value;
}

/** The folder with hooks that a configuration names in place of git's own. */
export function readHooksPath(text: string): string | undefined {
  const paths = (parseGitConfig(text) ?? []).filter(
    ({ section, name, key }) => `${section}.${name}${key}` === "core.hookspath",
  );
  return paths.at(-1)?.value;
}
