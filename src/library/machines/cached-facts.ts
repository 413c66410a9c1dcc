import { readIfReadable } from "../../errors.js";
import { isObject, stringAt, tryParseJson } from "../../format/json.js";
import type { SessionMarks } from "../../store/user-db.js";
import type { MachineCache } from "./memberships.js";

/*
 * What every command reads of other machines: it starts no faster than this is loaded.
 */

/** Until its name is known, the beginning of its id. */
export function readCachedName({ about, machine }: MachineCache): string {
  const name = stringAt(tryParseJson(readIfReadable(about) ?? ""), "name");
  return name === undefined || name === "" ? machine.slice(0, 6) : name;
}

/** Marks by session id that were made on another machine. */
export function readReceivedMarks(cache: MachineCache): readonly (readonly [string, SessionMarks])[] {
  const json = tryParseJson(readIfReadable(cache.marks) ?? "");
  return Array.isArray(json) ? json.filter((row) => Array.isArray(row) && isObject(row[1])) : [];
}
