import { hash } from "node:crypto";
import { listAt } from "../../collections.js";
import type { FoundSession } from "../found-session.js";
import { sentFile } from "./memberships.js";
import { readSent } from "./sent-session.js";

/**
 * The folder of each session in a shared folder: its id, and where one machine has several files of that id, a mark for all but the
 * one that was sent first.
 */
export function ownKeys(
  place: string,
  sessions: readonly FoundSession[],
): readonly { readonly key: string; readonly found: FoundSession }[] {
  const byId = new Map<string, FoundSession[]>();
  for (const found of sessions) listAt(byId, found.id).push(found);
  return [...byId].flatMap(([id, files]) => {
    const [only, ...others] = files;
    if (only && others.length === 0) return [{ key: id, found: only }];
    const sent = readSent(sentFile(place, id))?.path;
    const first = files.find(({ path }) => path === sent) ?? files.toSorted((a, b) => (a.path < b.path ? -1 : 1))[0];
    return files.map((found) => ({ key: found === first ? id : `${id}.${markOf(found.path)}`, found }));
  });
}

function markOf(path: string): string {
  return hash("sha1", path).slice(0, 8);
}
