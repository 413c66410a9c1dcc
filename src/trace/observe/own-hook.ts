/** Matches turnlog's hook by name or by the path of its program. */
const OWN_HOOK = /\bturnlog(\.cmd|\b.*[/\\]dist[/\\]bin\.js)?["']?\s+hook\b/;

export function isOwnHook(command: string): boolean {
  return OWN_HOOK.test(command);
}
