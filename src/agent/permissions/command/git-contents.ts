/** Options that leave contents out. */
const NAMES_ONLY = /^--(?:stat|shortstat|numstat|dirstat|summary|name-only|name-status|raw|no-patch|quiet)$|^-s$/;
const LOG_OPTION =
  /^(?:-\d+|-n\d*|--(?:oneline|graph|all|decorate|no-decorate|abbrev-commit|reverse|merges|no-merges|first-parent|follow|no-pager|count|tags|branches|remotes|(?:format|pretty|author|committer|since|until|after|before|date|grep|max-count|skip)=.*))$/;
const PLAIN_REVISION = /^(?:HEAD|@|main|master)(?:[~^]\d*)*$/;

/** Letters of options that print no contents, by sub-command. One that is not named here may print contents. */
const LETTERS: Readonly<Record<string, string>> = {
  add: "AfnuvN",
  bisect: "",
  branch: "acCdDflmMqrtuv",
  checkout: "bBdflqt",
  cherry: "",
  "cherry-pick": "emnsx",
  clean: "dfnqxX",
  clone: "blnoqsv",
  commit: "amFnqsS",
  config: "lz",
  "count-objects": "Hv",
  describe: "",
  fetch: "afjknpqtv",
  "for-each-ref": "",
  gc: "q",
  init: "bq",
  "ls-files": "cdikmostuvxz",
  "ls-remote": "hqt",
  "ls-tree": "dlrtz",
  merge: "mnqsX",
  "merge-base": "a",
  mv: "fknv",
  "name-rev": "",
  prune: "nv",
  pull: "afnpqrtv",
  push: "dfnoqtuv",
  rebase: "fimq",
  remote: "fmtv",
  reset: "Nq",
  restore: "qsSW",
  "rev-parse": "q",
  revert: "emns",
  rm: "fnqr",
  shortlog: "cens",
  "show-ref": "dqs",
  stash: "akmqu",
  status: "bsuz",
  switch: "cCdfqt",
  "symbolic-ref": "q",
  tag: "adfFlmns",
  version: "",
  worktree: "bBfv",
};
const LONG =
  /^--(?:abbrev-ref|abort|ahead-behind|all|allow-empty|always|amend|atomic|autostash|bare|branch|cached|column|contains|continue|delete|detach|dry-run|exact-match|exclude-standard|ff|ff-only|follow-tags|force|force-with-lease|full-name|get|global|hard|heads|ignored|include-untracked|index|intent-to-add|is-inside-work-tree|keep|keep-index|list|local|long|merge|merged|mixed|modified|move|name-only|no-autostash|no-commit|no-edit|no-ff|no-merged|no-rebase|no-renames|no-tags|no-track|no-verify|numbered|onto|orphan|others|ours|porcelain|prune|quiet|quit|rebase|recursive|renames|set-upstream|short|show-current|show-toplevel|signoff|single-branch|skip|soft|squash|stage|staged|tags|theirs|track|unset|unshallow|untracked-files|update|verify|worktree|(?:abbrev|abbrev-ref|author|branch|column|contains|date|depth|format|ignored|match|merged|message|no-merged|onto|points-at|porcelain|set-upstream-to|short|sort|source|strategy|strategy-option|untracked-files)=[\s\S]*)$/;

/** Whether a git command may print contents of files that it does not name. What is not known to print none may. */
export function gitMayShowFiles(args: readonly string[]): boolean {
  const at = args.findIndex((word, index) => !word.startsWith("-") && !/^-[Cc]$/.test(args[index - 1] ?? ""));
  if (at < 0) return !args.every((word) => /^(?:--version|--help|-P|--no-pager)$/.test(word));
  const [name = "", ...rest] = args.slice(at);
  const end = rest.indexOf("--");
  const words = end < 0 ? rest : rest.slice(0, end);
  const options = words.filter((word) => /^-./.test(word));
  const isListing = options.every((word) => NAMES_ONLY.test(word) || LOG_OPTION.test(word));
  const lists = options.some((word) => NAMES_ONLY.test(word));
  if (/^(?:log|reflog|rev-list)$/.test(name) || (name === "stash" && rest[0] === "list")) return !isListing;
  if (name === "diff") return !(isListing && lists);
  // The hash of a file would show that file.
  const operands = words.filter((word) => !word.startsWith("-"));
  if (name === "show") return !(isListing && lists && operands.every((word) => PLAIN_REVISION.test(word)));
  if (name === "stash" && /^(?:show|create)$/.test(rest[0] ?? "")) return true;
  if (name === "bisect" && !/^(?:start|good|bad|old|new|reset|skip|next|log)$/.test(rest[0] ?? "")) return true;
  const letters = Object.hasOwn(LETTERS, name) ? LETTERS[name] : undefined;
  if (letters === undefined) return true;
  const isPlain = (word: string) =>
    LONG.test(word) || Array.from(word.slice(1).replace(/\d+$/, "")).every((letter) => letters.includes(letter));
  return !options.every((word) => isPlain(word) || isText(word, words));
}

/** The text of a message is no option, also where it looks like one. */
function isText(word: string, words: readonly string[]): boolean {
  return /^-a?m$/.test(words[words.indexOf(word) - 1] ?? "");
}
