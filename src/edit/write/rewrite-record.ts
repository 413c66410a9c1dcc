import { parseRecords, readRecords } from "../../format/reader/record-reader.js";
import { isKnownType, type LogRecord } from "../../format/record/record.js";
import { rewriteIds } from "../../format/writer/rewrite-ids.js";
import { type OutputFolder, rewriteOutputPaths } from "../../format/writer/rewrite-paths.js";
import { rewriteStrings } from "../../format/writer/rewrite-strings.js";
import { type Cleaning, type EditPlan, newIds } from "../plans/edit-plan.js";
import type { EditSource } from "../plans/edit-source.js";
import { listSideFiles, type SideFiles } from "./side-files.js";

export type RewriteRecord = (bytes: Buffer, record: Pick<LogRecord, "kind">) => Buffer;

/** Everything that a copied record needs: private things out, paths to spilled output right, ids new. */
export function recordRewriter(
  plan: EditPlan,
  to: OutputFolder = { projectDir: plan.source.projectDir, id: plan.id },
  sideFiles: SideFiles = listSideFiles(plan.source.path),
): RewriteRecord {
  const { cleaning, source } = plan;
  const from = { projectDir: source.projectDir, id: source.id };
  const ids = newIds(plan, knownIds(source, sideFiles));
  return (bytes, { kind }) => {
    const cleaned = cleaning ? cleanRecord(bytes, cleaning.clean) : bytes;
    return kind === "broken" ? cleaned : rewriteIds(rewriteOutputPaths(cleaned, from, to), ids);
  };
}

/** Whether an id is that of a record of the session or of one of its sub-agents. */
function knownIds({ records }: EditSource, { sideFolder: besides }: SideFiles): (id: string) => boolean {
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

/** The bytes of a record with only those strings written anew in which something was found. */
export function redactRecord(record: LogRecord, bytes: Buffer, clean: Cleaning["clean"]): Buffer {
  if (record.kind === "broken") {
    const text = bytes.toString("utf8");
    const cleaned = clean(text, "broken line");
    return cleaned === text ? bytes : Buffer.from(cleaned);
  }
  const cleaned = cleanFields(record.raw, isKnownType(record.type) ? record.type : "other", clean);
  return rewriteStrings(bytes, record.raw, cleaned) ?? Buffer.from(JSON.stringify(cleaned));
}

/** Field by field, so that the report can say in which one something was found; a name may be a secret itself. */
function cleanFields(raw: Readonly<Record<string, unknown>>, type: string, clean: Cleaning["clean"]): object {
  const names = Object.keys(raw).map((key) => clean(key, type));
  if (new Set(names).size < names.length) return clean(raw, type);
  const values = Object.values(raw);
  return Object.fromEntries(
    names.map((name, at) => [name, clean({ [name]: values[at] }, `${type}.${name}`)[name]] as const),
  );
}
