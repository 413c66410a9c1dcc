import { UserError } from "../errors.js";
import type { Outline } from "../session/outline.js";

/** The number of a turn that is there, of so many. */
export function checkTurn(number: number, count: number): number {
  if (Number.isInteger(number) && number >= 1 && number <= count) return number;
  const hint = count === 0 ? "the session has no turns" : `the session has the turns 1 to ${count}`;
  throw new UserError("not-found", `there is no turn ${number}`, hint);
}

/** The uuid of a record that is named by it or by its beginning. */
export function findUuid({ uuids, activeLeaf, deadBranches }: Outline, name: string): string {
  if (uuids.has(name)) return name;
  const matches = name.length < 4 ? [] : [...uuids.keys()].filter((uuid) => uuid.startsWith(name));
  if (matches[0] !== undefined && matches.length === 1) return matches[0];
  const ends = [activeLeaf, ...deadBranches.map(({ leaf }) => leaf)].filter((leaf) => leaf !== null);
  const hint = `its branches end at ${ends.join(", ")}`;
  if (matches.length > 1) throw new UserError("ambiguous", `several records begin with "${name}"`, hint);
  throw new UserError("not-found", `the session has no record "${name}"`, hint);
}
