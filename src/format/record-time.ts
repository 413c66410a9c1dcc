import type { JsonObject } from "./json.js";

/** A record with another time, in ms since the epoch. */
export function atTime(time: number): (record: JsonObject) => JsonObject {
  return (record) => ({ ...record, timestamp: new Date(time).toISOString() });
}
