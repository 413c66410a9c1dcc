import { hash } from "node:crypto";
import type { NewIds } from "../format/rewrite-ids.js";
import type { EditPlan } from "./edit-plan.js";

/**
 * The ids of a planned session. A record's new uuid follows from its old one and the new session's id, so that the files of a
 * session agree on it without a table. `isKnown` says of an id whether it is that of a record.
 */
export function newIds(plan: EditPlan, isKnown: (id: string) => boolean): NewIds {
  const { survivors, parents, keepUuids } = plan;
  return {
    source: plan.source.id,
    session: plan.id,
    marksOrigin: true,
    of: (id) => (!keepUuids && isKnown(id) ? derivedUuid(plan.id, id) : id),
    survivor: (id) => survivors.get(id) ?? (survivors.has(id) ? null : id),
    parent: (uuid) => parents.get(uuid),
  };
}

/** A UUID of version 8: one by a rule of our own. */
export function derivedUuid(session: string, uuid: string): string {
  const hex = hash("sha1", `${session}/${uuid}`);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
