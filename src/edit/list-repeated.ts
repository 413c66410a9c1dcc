import { type EditSource, isInConversation, type SourceRecord } from "./edit-source.js";

/** Records whose uuid a later one has: clients read the later one. */
export function listRepeated({ records }: EditSource): ReadonlyMap<SourceRecord, string> {
  const told = records.filter((record) => record.uuid !== undefined && isInConversation(record));
  const last = new Map(told.map((record) => [record.uuid, record]));
  const repeated = told.filter((record) => last.get(record.uuid) !== record);
  return new Map(repeated.map((record) => [record, "repeated records"]));
}
