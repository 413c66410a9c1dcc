/** Sub-commands that print no contents of files, or only those that they are told to change. */
const SHOWS_NO_FILES =
  /^(?:add|bisect|branch|checkout|cherry|cherry-pick|clean|clone|commit|config|count-objects|describe|fetch|for-each-ref|gc|help|init|ls-files|ls-remote|ls-tree|merge|merge-base|mv|name-rev|notes|prune|pull|push|rebase|reflog|remote|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show-branch|show-ref|status|switch|symbolic-ref|tag|version|worktree)$/;
/** Options of `log`, `diff`, `show` and `stash` that leave contents out. */
const NAMES_ONLY = /^--(?:stat|shortstat|numstat|dirstat|summary|name-only|name-status|raw|no-patch|quiet)$|^-s$/;
const LOG_OPTION =
  /^(?:-\d+|-n\d*|--(?:oneline|graph|all|decorate|no-decorate|abbrev-commit|reverse|merges|no-merges|first-parent|follow|no-pager|(?:format|pretty|author|committer|since|until|after|before|date|grep|max-count|skip)=.*))$/;

/** Whether a git command may print contents of files that it does not name. */
export function gitMayShowFiles(args: readonly string[]): boolean {
  const at = args.findIndex((word, index) => !word.startsWith("-") && !/^-[Cc]$/.test(args[index - 1] ?? ""));
  const [name = "", ...rest] = at < 0 ? [] : args.slice(at);
  if (at < 0 || SHOWS_NO_FILES.test(name))
    return (
      rest.some((word) => /^(?:-p|-u|-v|--patch|--show-current-patch.*)$/.test(word)) &&
      name !== "remote" &&
      name !== "branch" &&
      name !== "push"
    );
  const options = rest.filter((word) => word.startsWith("-") && word !== "--");
  if (name === "log") return !options.every((word) => NAMES_ONLY.test(word) || LOG_OPTION.test(word));
  const isListed = /^(?:diff|show)$/.test(name) && options.some((word) => NAMES_ONLY.test(word));
  if (isListed) return !options.every((word) => NAMES_ONLY.test(word) || LOG_OPTION.test(word));
  return name !== "stash" || /^(?:show|create)$/.test(rest[0] ?? "");
}
