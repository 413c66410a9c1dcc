import { readGitCall } from "../command/git-readers.js";
import { readArguments } from "../command/read-arguments.js";
import type { Options, Reader } from "../command/readers.js";
import { type Effects, effects, resolveNamed } from "./effects.js";
import { copyFiles } from "./writers.js";

/*
 * What git commands do to files. Of the commands that read, those are told apart that show no contents of files: their options are
 * listed here once more, without the ones that print patches or lines.
 */

const NAMES_ONLY = "stat shortstat numstat dirstat summary name-only name-status raw no-patch quiet compact-summary";
const QUIET_LONG = `${NAMES_ONLY} abbrev cached color exit-code find-copies find-renames ignore-all-space ignore-blank-lines ignore-space-change merge-base no-color no-ext-diff no-renames no-textconv relative staged`;
const QUIET_GLUED: Options = { word: "abbrev color diff-filter find-copies find-renames relative stat M" };
const LOG_LONG =
  "abbrev-commit all all-match author-date-order branches clear-decorations count date-order decorate extended-regexp first-parent fixed-strings follow full-history graph invert-grep merges no-abbrev-commit no-decorate no-merges no-walk oneline parents perl-regexp pretty regexp-ignore-case relative-date remotes reverse source tags topo-order";
const QUIET_LOG: Reader = {
  flags: "isEFP",
  long: `${QUIET_LONG} ${LOG_LONG}`,
  values: { number: "n", pattern: "author committer grep since until after before" },
  glued: {
    ...QUIET_GLUED,
    number: "max-count skip",
    word: `${QUIET_GLUED.word} date decorate`,
    pattern: "author committer grep since until after before branches tags remotes glob exclude",
    "git format": "format pretty",
  },
  takesDigits: true,
  operands: "path",
};
const QUIET_DIFF: Reader = { flags: "s", long: QUIET_LONG, glued: QUIET_GLUED, operands: "path" };

/** Reading commands that show no contents in any of their known forms. */
const LISTERS =
  /^(?:--version|version|branch|check-ignore|cherry|config|count-objects|describe|for-each-ref|ls-files|ls-tree|merge-base|name-rev|remote|rev-parse|shortlog|show-ref|status|symbolic-ref|tag)$/;
/** Those of the same kind with such options only; `needs`: without one of these it prints patches. */
const QUIET: Readonly<Record<string, { readonly reader: Reader; readonly needs?: string; readonly of?: RegExp }>> = {
  diff: { reader: QUIET_DIFF, needs: `${NAMES_ONLY} s` },
  log: { reader: QUIET_LOG },
  reflog: { reader: QUIET_LOG },
  "rev-list": { reader: QUIET_LOG },
  // The name of a file's contents would show them.
  show: { reader: QUIET_LOG, needs: `${NAMES_ONLY} s`, of: /^(?:HEAD|@)(?:[~^]\d*)*$/ },
  "stash list": { reader: QUIET_LOG },
};

interface GitWriter extends Reader {
  /** `none`: no files outside of the repository. `named`: those that it names. `tree`: any of the work tree. `copy`: it writes contents of files to a new place. */
  readonly changes: "none" | "named" | "tree" | "copy" | "move";
  /** Its operands may be addresses. */
  readonly isTransfer?: boolean;
}

/** An address of another host. */
export const REMOTE = /^(?:(?:https?|ssh|git):\/\/(?:[^/@]+@)?\w|git@\w[\w.-]*:)/;
const TRANSFER = { operands: "path", isTransfer: true } as const;
const MESSAGE: Options = { text: "m message" };

/** Left out on purpose: options that start programs, open editors for patches, or take files from elsewhere. */
const WRITERS: Readonly<Record<string, GitWriter>> = {
  add: {
    flags: "AfnuvN",
    long: "all dry-run force ignore-errors intent-to-add no-all refresh update verbose",
    operands: "path",
    changes: "none",
  },
  branch: {
    flags: "acCdDfmMqrtuv",
    long: "all copy delete force list move no-track quiet remotes set-upstream track unset-upstream verbose",
    glued: { word: "set-upstream-to track" },
    operands: "path",
    changes: "none",
  },
  "checkout -b": { flags: "q", operands: "word", maxOperands: 1, changes: "none" },
  checkout: {
    flags: "bBdflqt",
    long: "detach force guess no-guess no-track orphan ours progress quiet theirs track",
    operands: "path",
    changes: "tree",
  },
  "cherry-pick": {
    flags: "nsx",
    long: "abort allow-empty continue ff no-commit quit signoff skip",
    values: { number: "m mainline" },
    operands: "path",
    changes: "tree",
  },
  clean: { flags: "dfnqxX", long: "dry-run force quiet", operands: "path", changes: "tree" },
  clone: {
    flags: "lnqsv",
    long: "bare no-checkout no-tags quiet single-branch verbose",
    values: { number: "depth", word: "b o branch origin" },
    ...TRANSFER,
    changes: "copy",
  },
  commit: {
    flags: "anoqs",
    long: "all allow-empty allow-empty-message amend dry-run include no-edit no-gpg-sign no-status no-verify only porcelain quiet reset-author short signoff",
    values: { ...MESSAGE, path: "F file" },
    glued: { text: "author date fixup squash" },
    operands: "path",
    changes: "none",
  },
  config: { flags: "l", long: "global list local name-only show-origin", changes: "none" },
  "config --get": { operands: "word", maxOperands: 1, changes: "none" },
  fetch: {
    flags: "afknpqtv",
    long: "all atomic force keep no-tags prune quiet tags unshallow verbose",
    glued: { number: "depth", word: "jobs" },
    ...TRANSFER,
    changes: "none",
  },
  gc: { flags: "q", long: "aggressive auto prune quiet", changes: "none" },
  init: { flags: "q", long: "bare quiet", values: { word: "b initial-branch" }, operands: "path", changes: "named" },
  "ls-remote": { flags: "hqt", long: "get-url heads quiet refs tags", ...TRANSFER, changes: "none" },
  merge: {
    flags: "nqv",
    long: "abort allow-unrelated-histories commit continue ff ff-only no-commit no-edit no-ff no-stat quiet quit squash stat verbose",
    values: { text: "m", word: "X strategy-option" },
    operands: "path",
    changes: "tree",
  },
  mv: { flags: "fknv", long: "dry-run force verbose", operands: "path", hasOptionsFirst: true, changes: "move" },
  pull: {
    flags: "fnqrv",
    long: "all autostash ff ff-only no-autostash no-commit no-edit no-ff no-rebase no-tags prune quiet rebase squash tags verbose",
    glued: { word: "rebase depth" },
    ...TRANSFER,
    changes: "tree",
  },
  push: {
    flags: "dfnquv",
    long: "all atomic delete dry-run follow-tags force force-with-lease no-verify prune quiet set-upstream tags verbose",
    glued: { word: "force-with-lease" },
    ...TRANSFER,
    changes: "none",
  },
  rebase: {
    flags: "fmqv",
    long: "abort autosquash autostash continue force-rebase keep-empty no-autostash no-verify quiet quit rebase-merges root skip verbose",
    values: { word: "onto X strategy-option" },
    glued: { word: "onto" },
    operands: "path",
    changes: "tree",
  },
  "remote add": { ...TRANSFER, flags: "f", maxOperands: 2, changes: "none" },
  "remote prune": { flags: "n", long: "dry-run", operands: "word", changes: "none" },
  "remote remove": { operands: "word", maxOperands: 1, changes: "none" },
  "remote rename": { operands: "word", maxOperands: 2, changes: "none" },
  "reset --soft": { flags: "q", long: "quiet", operands: "path", changes: "none" },
  reset: { flags: "Nq", long: "hard keep merge mixed quiet", operands: "path", changes: "tree" },
  "restore --staged": { flags: "q", long: "quiet", operands: "path", changes: "none" },
  restore: {
    flags: "qSW",
    long: "ours quiet staged theirs worktree",
    values: { pattern: "s source" },
    operands: "path",
    changes: "tree",
  },
  revert: {
    flags: "ns",
    long: "abort continue no-commit no-edit quit signoff skip",
    values: { number: "m mainline" },
    operands: "path",
    changes: "tree",
  },
  rm: { flags: "fnqr", long: "cached dry-run force ignore-unmatch quiet", operands: "path", changes: "tree" },
  stash: {
    flags: "akqu",
    long: "all include-untracked keep-index no-keep-index quiet",
    values: MESSAGE,
    changes: "tree",
  },
  "stash apply": { flags: "q", long: "index quiet", operands: "path", changes: "tree" },
  "stash clear": { changes: "none" },
  "stash drop": { flags: "q", long: "quiet", operands: "path", changes: "none" },
  "stash pop": { flags: "q", long: "index quiet", operands: "path", changes: "tree" },
  "stash push": {
    flags: "akqu",
    long: "all include-untracked keep-index no-keep-index quiet",
    values: MESSAGE,
    operands: "path",
    changes: "tree",
  },
  "switch -c": { flags: "q", operands: "word", maxOperands: 1, changes: "none" },
  switch: {
    flags: "cCdfqt",
    long: "create detach discard-changes force force-create guess no-guess no-track orphan quiet track",
    operands: "path",
    changes: "tree",
  },
  tag: {
    flags: "adf",
    long: "annotate delete force no-sign",
    values: { ...MESSAGE, path: "F file" },
    operands: "path",
    changes: "none",
  },
  "worktree add": {
    flags: "dfq",
    long: "detach force guess-remote no-checkout no-track quiet track",
    values: { word: "b B" },
    operands: "path",
    changes: "copy",
  },
  "worktree list": { flags: "vz", long: "porcelain verbose", changes: "none" },
  "worktree prune": { flags: "nv", long: "dry-run verbose", changes: "none" },
  "worktree remove": { flags: "f", long: "force", operands: "path", changes: "tree" },
};

/** What a git command does; undefined: not every word of it is known. */
export function readGitEffects(args: readonly string[], folder: string): Effects | undefined {
  const [first, second, ...rest] = args;
  if (first === "--no-pager" || first === "-P") return readGitEffects(args.slice(1), folder);
  if (first === "-C") {
    const moved = second === undefined ? undefined : readGitEffects(rest, resolveNamed(folder, second));
    return moved && { ...moved, reads: [...moved.reads, resolveNamed(folder, second ?? "")] };
  }
  if (first === undefined) return undefined;
  return readReading(args, folder) ?? readWriting(args, folder);
}

function readReading(args: readonly string[], folder: string): Effects | undefined {
  const quiet = readQuiet(args);
  if (quiet) return effects({ reads: namedBy(quiet, folder) });
  const call = readGitCall(args);
  if ("problem" in call) return undefined;
  return effects({ reads: namedBy(call.paths, folder), readsUnnamed: !LISTERS.test(args[0] ?? "") });
}

/** The paths of a call that shows no contents of files. */
function readQuiet(args: readonly string[]): readonly string[] | undefined {
  const both = args.slice(0, 2).join(" ");
  const name = Object.hasOwn(QUIET, both) ? both : (args[0] ?? "");
  const entry = Object.hasOwn(QUIET, name) ? QUIET[name] : undefined;
  const call = entry ? readArguments(args.slice(name === both ? 2 : 1), entry.reader) : undefined;
  if (!entry || !call || "problem" in call) return undefined;
  const isListing = entry.needs?.split(" ").some((option) => call.options?.has(option)) ?? true;
  const named = call.paths.filter((path) => !path.startsWith("-"));
  return isListing && named.every((path) => entry.of?.test(path) ?? true) ? named : undefined;
}

function readWriting(args: readonly string[], folder: string): Effects | undefined {
  const call = readGitWriter(args);
  // `ext::sh -c …` is a program.
  if (!call || (call.isTransfer && call.paths.some((path) => path.includes("::")))) return undefined;
  const isRemote = call.name === "clone" && REMOTE.test(call.paths[0] ?? "");
  return toEffects(isRemote ? "tree" : call.changes, call.paths, folder);
}

/** A git command that writes, if every word of it is known. */
export function readGitWriter(
  args: readonly string[],
):
  | (Pick<GitWriter, "changes" | "isTransfer"> & { readonly name: string; readonly paths: readonly string[] })
  | undefined {
  const both = args.slice(0, 2).join(" ");
  for (const name of [both, args[0] ?? ""]) {
    const writer = Object.hasOwn(WRITERS, name) ? WRITERS[name] : undefined;
    const call = writer ? readArguments(args.slice(name === both ? 2 : 1), writer) : undefined;
    if (writer && call && !("problem" in call))
      return { name, paths: call.paths, changes: writer.changes, isTransfer: writer.isTransfer ?? false };
  }
  return undefined;
}

function toEffects(changes: GitWriter["changes"], paths: readonly string[], folder: string): Effects {
  if (changes === "move") return copyFiles(paths, { folder, isAlone: false }, true);
  const named = namedBy(paths, folder);
  if (changes === "none" || changes === "named")
    return effects({ reads: named, writes: changes === "named" ? named : [] });
  const isCopy = changes === "copy";
  return effects({ reads: named, writes: named, writesUnnamed: true, readsUnnamed: isCopy, makesNames: true });
}

/** An operand may be a path, also behind a revision: `HEAD:.env`. */
function namedBy(paths: readonly string[], folder: string): readonly string[] {
  const names = paths.flatMap((path) => [path, ...[...path.matchAll(/:/g)].map(({ index }) => path.slice(index + 1))]);
  return names.filter((name) => name !== "" && !name.startsWith("-")).map((name) => resolveNamed(folder, name));
}
