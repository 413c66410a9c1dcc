import type { LogRecord } from "../format/record.js";
import { isKnownType } from "../format/record-types.js";
import { rewriteStrings } from "../format/rewrite-strings.js";
import type { Cleaning } from "./edit-plan.js";

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
