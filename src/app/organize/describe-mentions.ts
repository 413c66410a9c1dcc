import { basename, dirname } from "node:path";
import { listAt } from "../../collections.js";
import type { SharedMention } from "../../library/shared-files/shared-mentions.js";
import { formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";

/** What still names sessions that are deleted, or holds something of them: a sentence for each kind and file. */
export function describeMentions(mentions: readonly SharedMention[]): string[] {
  const groups = new Map<string, SharedMention[]>();
  for (const mention of mentions) listAt(groups, groupOf(mention)).push(mention);
  return [...groups.values()].map((group) => neutralize(describeGroup(group)));
}

/** Pastes and backups are many files of one folder. */
function groupOf({ kind, path }: SharedMention): string {
  return `${kind} ${kind === "paste" || kind === "stateBackup" ? dirname(path) : path}`;
}

/** What --purge takes out of files that many sessions share: "2 lines of history.jsonl, 1 pasted text". */
export function describePurged(mentions: readonly SharedMention[]): string {
  const count = (kind: SharedMention["kind"]) =>
    mentions.reduce((sum, mention) => sum + (mention.kind === kind ? mention.count : 0), 0);
  const parts = [
    { count: count("history"), text: `${formatCount(count("history"), "line")} of history.jsonl` },
    { count: count("paste"), text: formatCount(count("paste"), "pasted text") },
    { count: count("lastSession"), text: `${formatCount(count("lastSession"), "mention")} in .claude.json` },
  ];
  return parts.flatMap((part) => (part.count > 0 ? [part.text] : [])).join(", ");
}

function describeGroup(group: readonly SharedMention[]): string {
  const [first] = group;
  if (!first) return "";
  const { kind, path } = first;
  const count = group.reduce((sum, mention) => sum + mention.count, 0);
  const name = count === 1 ? "names" : "name";
  switch (kind) {
    case "history":
      return `${formatCount(count, "line")} of history.jsonl still ${name} it`;
    case "paste":
      return `${formatCount(count, "pasted text")} in paste-cache used by no other session`;
    case "lastSession":
      return `${path} still names it as the last session of ${formatCount(count, "project")}`;
    case "stateBackup":
      return `${formatCount(count, "backup")} of .claude.json in ${dirname(path)} still ${name} it`;
    case "plan":
      return `${path} stays: other sessions may use this plan`;
    case "parentCopy":
      return `${path} is a copy of this conversation; it stays with the background job ${basename(dirname(path))}`;
    case "team":
      return `${path} still names it`;
    case "jobPath":
      return `${path} still names the file where it was`;
    case "registry":
      return `${path} still names it; Claude Code removes it`;
  }
}
