import type { Rule } from "./rule.js";

/** Files by which a model could give itself more rights, or run code later. */
export function isGuarded(path: string): boolean {
  return /[\\/]\.git[\\/]|[\\/]\.claude[\\/]settings[^\\/]*\.json$|[\\/]\.(?:bashrc|zshrc|profile|bash_profile|gitconfig)$/.test(
    path,
  );
}

/** A rule for everything does not mean them. */
export function namesGuarded({ spec }: Rule): boolean {
  return spec !== undefined && isGuarded(`/${spec}`);
}
