/** Sub-commands of git that start no programs which their operands name. */
export const GIT_COMMANDS =
  /^(?:add|blame|branch|checkout|cherry-pick|clean|clone|commit|describe|diff|fetch|grep|init|log|ls-files|ls-tree|merge|merge-base|mv|pull|push|rebase|reflog|remote|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|stash|status|switch|tag|worktree)$/;
