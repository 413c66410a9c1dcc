import type { SourceRecord } from "./source-record.js";

/**
 * Records that no copy of a session has, and why: they hide it, or link its source to something that knows only the source. All
 * other records outside of the conversation are copied. Claude Code's own `/branch` copies none of these either (2.1.326).
 */
const SOURCE_LINKS: ReadonlyMap<string, string> = new Map([
  ["continued-in", "Claude Code hides a session that was continued in another one"],
  ["bridge-session", "a session of Remote Control belongs to one session"],
  ["derived-from", "it names what the source was made of"],
  ["observer-ref", "it names a task that watches the source"],
  ["artifact-comment-monitor", "both sessions would answer the same comments"],
  ["artifact-autoreact-ledger", "both sessions would answer the same comments"],
  ["resume-head-vouch", "it is a checksum of the source"],
]);

export function isSourceLink({ type }: Pick<SourceRecord, "type">): boolean {
  return type !== undefined && SOURCE_LINKS.has(type);
}

/** What to tell the user about them. */
export function noteSourceLinks(records: readonly SourceRecord[]): string[] {
  const types = new Set(records.filter(isSourceLink).map(({ type = "" }) => type));
  return [...types].map((type) => `${type} is not copied: ${SOURCE_LINKS.get(type)}`);
}
