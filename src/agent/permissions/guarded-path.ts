import type { Rule } from "./rule.js";

/** A `HEAD` makes a repository of its folder, and a repository has commands in its configuration. */
const GUARDED_FILES =
  /[\\/](?:HEAD|\.git|\.gitmodules|\.gitconfig|\.mcp\.json|\.(?:bashrc|bash_profile|profile|zshrc|zshenv|zprofile))$/i;
const GUARDED_FOLDERS =
  /[\\/](?:\.git|\.vscode|\.idea|\.claude[\\/]hooks)[\\/]|[\\/]\.claude[\\/]settings[^\\/]*\.json$/i;

/** Files by which a model could give itself more rights, or run code later. Some systems do not tell `.GIT` from `.git`. */
export function isGuarded(path: string): boolean {
  return GUARDED_FILES.test(path) || GUARDED_FOLDERS.test(path);
}

/** A rule for everything does not mean them. */
export function namesGuarded({ spec }: Rule): boolean {
  return spec !== undefined && isGuarded(`/${spec}`);
}
