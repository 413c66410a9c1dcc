import { type ReadCall, readArguments } from "./read-arguments.js";
import type { Options, Reader } from "./readers.js";

/*
 * Sub-commands of git that only read, on a shadow of the repository. Left out on purpose: options that run programs (`--ext-diff`,
 * `--textconv`, `--filters`, `-O`, `--show-signature`), write (`--output`), read other files (`--no-index`, `--contents`, `-X`) or
 * enter submodules; and what the shadow does not know (most of `config`, `worktree`, `--git-dir`). Most long options get their value by `=`
 * only: git would take the next word for it, whatever that is.
 */

const DIFF_FLAGS = "abpRsuwz";
const DIFF_LONG =
  "abbrev binary cc check color color-moved color-words compact-summary dirstat exit-code find-copies find-renames full-index histogram ignore-all-space ignore-blank-lines ignore-space-at-eol ignore-space-change ignore-submodules minimal name-only name-status no-color no-ext-diff no-patch no-prefix no-renames no-textconv numstat patch patch-with-stat patience pickaxe-all pickaxe-regex quiet raw relative shortstat stat summary text word-diff";
const DIFF_GLUED: Options = {
  number: "U unified inter-hunk-context",
  word: "B C M abbrev color color-moved diff-algorithm diff-filter dirstat find-copies find-renames ignore-submodules relative stat word-diff",
  text: "color-words word-diff-regex",
};
const LOG_LONG =
  "abbrev-commit all all-match ancestry-path author-date-order boundary branches cherry-mark cherry-pick clear-decorations date-order decorate dense extended-regexp first-parent fixed-strings follow full-history graph invert-grep left-only left-right log-size merges no-abbrev-commit no-decorate no-merges no-notes no-walk oneline parents perl-regexp pretty regexp-ignore-case relative-date remotes reverse right-only simplify-by-decoration simplify-merges source sparse tags topo-order walk-reflogs";
const LOG_GLUED: Options = {
  number: "max-count skip min-parents max-parents",
  word: "date decorate",
  pattern: "author committer grep since until after before branches tags remotes glob exclude decorate-refs",
  "git format": "format pretty",
};
const LOG: Reader = {
  flags: `${DIFF_FLAGS}cEFgimP`,
  long: `${DIFF_LONG} ${LOG_LONG}`,
  values: { number: "n", text: "G L S", pattern: "author committer grep since until after before" },
  glued: joined(DIFF_GLUED, LOG_GLUED),
  takesDigits: true,
  operands: "path",
};
const DIFF: Reader = {
  flags: DIFF_FLAGS,
  long: `${DIFF_LONG} cached staged merge-base`,
  values: { text: "G S" },
  glued: DIFF_GLUED,
  operands: "path",
};
const REF_FILTERS: Options = {
  number: "count",
  word: "sort color",
  pattern: "contains no-contains merged no-merged points-at",
  "git format": "format",
};

/** Operands are revisions or paths; both are judged as paths, because git takes one that exists outside for a path. */
const TABLE: Readonly<Record<string, Reader>> = {
  "--version": {},
  blame: {
    flags: "ceflnpstw",
    long: "abbrev line-porcelain porcelain root show-email show-name show-number",
    values: { text: "L" },
    glued: { word: "C M abbrev date" },
    operands: "path",
  },
  // Without `--list` an operand is the name of a new branch.
  branch: {
    flags: "arv",
    long: "all contains list merged no-color no-merged remotes show-current verbose",
    glued: REF_FILTERS,
    operands: "pattern",
    operandsNeed: "list",
  },
  "cat-file": { flags: "epst", operands: "path" },
  "check-ignore": { flags: "nqv", long: "no-index non-matching quiet verbose", operands: "path" },
  cherry: { flags: "v", operands: "path" },
  // A second operand would be the value that it sets.
  config: { long: "get", operands: "git setting", maxOperands: 1 },
  "count-objects": { flags: "Hv", long: "human-readable verbose" },
  describe: {
    long: "all always contains exact-match first-parent long tags",
    glued: { number: "abbrev candidates", pattern: "match exclude" },
    operands: "path",
  },
  diff: DIFF,
  "diff-tree": { ...DIFF, flags: `${DIFF_FLAGS}cmrtv`, long: `${DIFF_LONG} root no-commit-id` },
  "for-each-ref": { glued: REF_FILTERS, operands: "pattern" },
  grep: {
    flags: "acEFGhHiIlLnoPpqvwWz",
    long: "all-match basic-regexp break cached color column count extended-regexp files-with-matches files-without-match fixed-strings full-name function-context heading ignore-case invert-match line-number name-only no-color null only-matching perl-regexp quiet show-function text untracked word-regexp",
    values: { number: "A B C m", pattern: "e" },
    glued: { number: "after-context before-context context max-count max-depth", word: "color" },
    first: "pattern",
    noFirst: "e",
    operands: "path",
  },
  log: LOG,
  "ls-files": {
    flags: "cdikmostuvz",
    long: "cached deleted directory error-unmatch exclude-standard full-name ignored killed modified no-empty-directory others stage unmerged",
    values: { pattern: "x" },
    glued: { pattern: "exclude" },
    operands: "path",
  },
  "ls-tree": { flags: "dlrtz", long: "full-name full-tree long name-only name-status object-only", operands: "path" },
  "merge-base": { flags: "a", long: "all fork-point independent is-ancestor octopus", operands: "path" },
  "name-rev": { long: "all always name-only tags", operands: "path" },
  reflog: { ...LOG, operands: "path", operandsNeed: "none" },
  "reflog show": LOG,
  remote: { flags: "v", long: "verbose" },
  "remote get-url": { long: "all push", operands: "pattern", maxOperands: 1 },
  "rev-list": { ...LOG, long: `${LOG_LONG} count` },
  "rev-parse": {
    flags: "q",
    long: "abbrev-ref all branches is-bare-repository is-inside-work-tree is-shallow-repository quiet remotes short show-cdup show-prefix show-toplevel symbolic symbolic-full-name tags verify",
    glued: { word: "abbrev-ref short" },
    operands: "path",
  },
  shortlog: { flags: "cens", long: "all email no-merges numbered summary", glued: LOG_GLUED, operands: "path" },
  show: LOG,
  "show-ref": { flags: "dqs", long: "dereference head heads quiet tags verify", operands: "pattern" },
  "stash list": LOG,
  "stash show": LOG,
  status: {
    flags: "bsuz",
    long: "ahead-behind branch column ignore-submodules ignored long no-ahead-behind no-renames null porcelain renames short show-stash untracked-files",
    glued: { word: "column ignored ignore-submodules porcelain u untracked-files" },
    operands: "path",
  },
  // A second operand would be what it sets.
  "symbolic-ref": { flags: "q", long: "quiet short", operands: "pattern", maxOperands: 1 },
  // Without `-l` an operand is the name of a new tag.
  tag: {
    flags: "l",
    long: "list",
    glued: joined(REF_FILTERS, { number: "n" }),
    operands: "pattern",
    operandsNeed: "l list",
  },
  version: {},
};

const READERS: ReadonlyMap<string, Reader> = new Map(Object.entries(TABLE));

/** What a git command opens, and the folder to which `-C` moves it. */
export type GitCall = ReadCall & { readonly folder?: string | undefined };

export function readGitCall(args: readonly string[]): GitCall {
  const [first, second] = args;
  if (first === "--no-pager" || first === "-P") return readGitCall(args.slice(1));
  if (first === "-C" && second !== undefined) {
    const call = readGitCall(args.slice(2));
    return call.folder === undefined ? { ...call, folder: second } : { problem: "it changes its folder twice" };
  }
  const both = READERS.get(`${first} ${second}`);
  const reader = both ?? READERS.get(first ?? "");
  if (!reader) return { problem: `\`git ${first ?? ""}\` is not known to only read` };
  return readArguments(args.slice(both ? 2 : 1), reader);
}

function joined(...all: readonly Options[]): Options {
  const kinds = [...new Set(all.flatMap((options) => Object.keys(options)))] as (keyof Options)[];
  return Object.fromEntries(kinds.map((kind) => [kind, all.flatMap((options) => options[kind] ?? []).join(" ")]));
}
