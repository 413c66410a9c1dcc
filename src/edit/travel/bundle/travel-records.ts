import { isObject, type JsonObject, objectAt, stringAt, toJsonText, tryParseJson } from "../../../format/json.js";
import { isAbsoluteAnywhere } from "../../../format/layout/path-forms.js";
import { isSourceLink } from "../../plans/source-links.js";

/*
 * Records that do not travel, in whichever direction. On another machine a rewind must not write outside of the project, and
 * nobody else decides what may run without a question.
 */

/** Undefined: the record stays behind. `bytes` have tokens for folders already. */
export function travelRecord(bytes: Buffer, type: string | undefined): Buffer | undefined {
  if (isSourceLink({ type }) || type === "permission-mode") return undefined;
  if (type !== "file-history-snapshot" && type !== "file-history-delta") return bytes;
  const record = tryParseJson(bytes.toString("utf8").trim());
  if (!isObject(record)) return undefined;
  const travelling = type === "file-history-delta" ? travelDelta(record) : travelSnapshot(record);
  return travelling === record ? bytes : travelling && Buffer.from(toJsonText(travelling) ?? "");
}

function travelDelta(record: JsonObject): JsonObject | undefined {
  if (!isInProject(stringAt(record, "trackingPath") ?? "")) return undefined;
  const backup = objectAt(record, "backup");
  const travelling = backup && travelBackup(backup);
  return travelling === backup ? record : { ...record, backup: travelling };
}

function travelSnapshot(record: JsonObject): JsonObject {
  const snapshot = objectAt(record, "snapshot");
  const backups = objectAt(snapshot, "trackedFileBackups");
  if (!snapshot || !backups) return record;
  const entries = Object.entries(backups);
  const kept = entries
    .filter(([path]) => isInProject(path))
    .map(([path, backup]): [string, unknown] => [path, isObject(backup) ? travelBackup(backup) : backup]);
  if (kept.length === entries.length && kept.every(([path, backup]) => backups[path] === backup)) return record;
  return { ...record, snapshot: { ...snapshot, trackedFileBackups: Object.fromEntries(kept) } };
}

/** The real folder may be another one than the path says, through a link. */
function travelBackup(backup: JsonObject): JsonObject {
  const folder = stringAt(backup, "realParentDir");
  if (folder === undefined || folder === "{project}" || isInProject(folder)) return backup;
  const { realParentDir, ...rest } = backup;
  return rest;
}

/** A file that a rewind may write: in the project, and not where programs are named that run by themselves. */
function isInProject(path: string): boolean {
  const isToken = path.startsWith("{") && !path.startsWith("{{");
  const inside = /^\{project\}[\\/](.*)$/s.exec(path)?.[1] ?? (isToken || isAbsoluteAnywhere(path) ? "" : path);
  const parts = inside.split(/[\\/]+/);
  return inside !== "" && !parts.includes("..") && !parts.some((part) => /^\.(?:git|claude)$/i.test(part));
}
