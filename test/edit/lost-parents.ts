import type { JsonObject } from "../../src/format/json.js";

/** Parents that are not in the file, and those that lead in a circle. */
export function lostParents(rows: readonly JsonObject[]): unknown[] {
  const parentOf = new Map(rows.map((row) => [row["uuid"], row["parentUuid"]]));
  const isLost = (start: unknown): boolean => {
    const way = new Set<unknown>();
    for (let at = start; at !== null && at !== undefined; at = parentOf.get(at)) {
      if (way.has(at) || !parentOf.has(at)) return true;
      way.add(at);
    }
    return false;
  };
  return [...parentOf.keys()].filter((uuid) => typeof uuid === "string" && uuid !== "" && isLost(uuid));
}
