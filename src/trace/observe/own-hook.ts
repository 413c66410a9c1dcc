/** Matches turnlog's hook by name, by the path of its program, or as the plugin runs it. */
const OWN_HOOK = /\bturnlog(?:(?:\.cmd|\b.*[/\\]dist[/\\]bin\.js)?["']?\s+hook\b|-hook\.sh\b)/;

export function isOwnHook(command: string): boolean {
  return OWN_HOOK.test(command);
}
