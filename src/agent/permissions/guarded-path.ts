import type { Rule } from "./rule.js";

/** A `HEAD` file turns its folder into a repository, and a repository's configuration can contain commands. */
const GUARDED_FILES =
  /[\\/](?:HEAD|\.git|\.gitmodules|\.gitconfig|\.mcp\.json|\.(?:bashrc|bash_profile|profile|zshrc|zshenv|zprofile))$/i;
const GUARDED_FOLDERS =
  /[\\/](?:\.git|\.vscode|\.idea|\.claude[\\/]hooks)[\\/]|[\\/]\.claude[\\/]settings[^\\/]*\.json$/i;

/** Files through which a model could extend its permissions or run code later. Case is ignored: some file systems do too. */
export function isGuarded(path: string): boolean {
  return GUARDED_FILES.test(path) || GUARDED_FOLDERS.test(path);
}

/** Only a rule that names a guarded file applies to it. */
export function namesGuarded({ spec }: Rule): boolean {
  return spec !== undefined && isGuarded(`/${spec}`);
}
