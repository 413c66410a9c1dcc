import { createHash } from "node:crypto";
import type { AssistantRecord, UserRecord } from "../format/record.js";
import type { Node } from "../session/node.js";
import { isWhole } from "./chain-nodes.js";
import type { EditSource, SourceRecord } from "./edit-source.js";
import { readWhole } from "./read-whole.js";

/**
 * Records that stand on a branch a second time: 2.1.29 writes its history again when it resumes, block by block under new uuids,
 * and may hang it on the history itself. The API takes no call twice.
 */
export function findCopies(source: EditSource, branch: readonly Node[]): ReadonlySet<SourceRecord> {
  const copies = new Set<SourceRecord>();
  if (isWhole(branch)) return copies;
  const records = branch.flatMap((node) => source.recordOf(node) ?? []);
  const contents = readContents(source, new Set(records));
  const seen = new Set<string>();
  for (const record of records) {
    const told = contents.get(record) ?? [];
    if (told.length > 0 && told.every((content) => seen.has(content))) copies.add(record);
    for (const content of told) seen.add(content);
  }
  return copies;
}

/** Whether the active branch can be made one line: but for copies, no message of it is spread over several turns. */
export function isOneLine(source: EditSource): boolean {
  const { active } = source.outline;
  if (isWhole(active)) return true;
  const copies = findCopies(source, active);
  return isWhole(active.filter((node) => !isCopy(copies, source.recordOf(node))));
}

function isCopy(copies: ReadonlySet<SourceRecord>, record: SourceRecord | undefined): boolean {
  return record !== undefined && copies.has(record);
}

function readContents(source: EditSource, wanted: ReadonlySet<SourceRecord>): ReadonlyMap<SourceRecord, string[]> {
  const contents = new Map<SourceRecord, string[]>();
  for (const [record, known] of readWhole(source)) {
    if (!wanted.has(known) || (record.kind !== "user" && record.kind !== "assistant") || record.isAbridged) continue;
    contents.set(known, contentsOf(record));
  }
  return contents;
}

/** Its blocks, each with what a copy of it has in common. */
function contentsOf(record: UserRecord | AssistantRecord): string[] {
  const { kind, timestamp = "", blocks } = record;
  const message = record.kind === "assistant" ? record.messageId : "";
  return blocks.map(({ raw }) =>
    createHash("sha1")
      .update(JSON.stringify([kind, timestamp, message, raw]))
      .digest("base64"),
  );
}
