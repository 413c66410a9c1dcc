import { followOutputPaths, type OutputPlace } from "../format/output-paths.js";
import type { LogRecord } from "../format/record.js";
import { parseRecords, readRecords } from "../format/record-reader.js";
import { rewriteIds } from "../format/rewrite-ids.js";
import type { Cleaning, EditPlan } from "./edit-plan.js";
import type { EditSource } from "./edit-source.js";
import { newIds } from "./new-ids.js";
import { redactRecord } from "./redact-record.js";
import { listSideFiles, type SideFiles } from "./side-files.js";

export type RewriteRecord = (bytes: Buffer, record: Pick<LogRecord, "kind">) => Buffer;

/** Everything that a copied record needs: private things out, paths to spilled output right, ids new. */
export function recordRewriter(
  plan: EditPlan,
  to: OutputPlace = { projectDir: plan.source.projectDir, id: plan.id },
  sideFiles: SideFiles = listSideFiles(plan.source.path),
): RewriteRecord {
  const { cleaning, source } = plan;
  const from = { projectDir: source.projectDir, id: source.id };
  const ids = newIds(plan, knownIds(source, sideFiles));
  return (bytes, { kind }) => {
    const cleaned = cleaning ? cleanRecord(bytes, cleaning.clean) : bytes;
    return kind === "broken" ? cleaned : rewriteIds(followOutputPaths(cleaned, from, to), ids);
  };
}

/** Whether an id is that of a record of the session or of one of its sub-agents. */
function knownIds({ records }: EditSource, { besides }: SideFiles): (id: string) => boolean {
  const known = new Set(records.flatMap(({ uuid }) => uuid ?? []));
  for (const { path } of besides.filter(({ kind }) => kind === "subagent")) {
    for (const record of readRecords(path, { abridge: true })) {
      if (record.kind !== "broken" && record.uuid !== undefined) known.add(record.uuid);
    }
  }
  return (id) => known.has(id);
}

function cleanRecord(bytes: Buffer, clean: Cleaning["clean"]): Buffer {
  const [record] = parseRecords(bytes);
  return record ? redactRecord(record, bytes, clean) : bytes;
}
