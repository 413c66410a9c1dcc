/** Files by which a model could give itself more rights, or run code later. */
export function isGuarded(path: string): boolean {
  return /[\\/]\.git[\\/]|[\\/]\.claude[\\/]settings[^\\/]*\.json$|[\\/]\.(?:bashrc|zshrc|profile|bash_profile|gitconfig)$/.test(
    path,
  );
}
