import { isObject } from "../format/json.js";
import type { Redactor } from "../redact/create-redactor.js";

/** A row of a list or a table with its names masked: title, note, project, git branch, tools. Ids, paths and shas lead somewhere and stay. */
export function maskNames<Row extends object>(row: Row, redactor: Redactor): Row {
  const mask = (value: unknown) => (typeof value === "string" ? redactor.text(value, "title") : value);
  const maskItem = (item: unknown) => (isObject(item) ? maskNames(item, redactor) : mask(item));
  const fields = Object.entries(row).map(([key, value]) => {
    if (KEPT.has(key)) return [key, value];
    return [key, Array.isArray(value) ? value.map(maskItem) : mask(value)];
  });
  return Object.fromEntries(fields) as Row;
}

const KEPT: ReadonlySet<string> = new Set(["id", "path", "sessionId", "sha"]);
