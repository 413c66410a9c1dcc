import type { Node } from "../session/node.js";

/** The API refuses a result whose call is on another branch, or in a part that does not come along. */
export function withoutLostResults(nodes: readonly Node[], calling: readonly Node[] = nodes): Node[] {
  const called = new Set(calling.flatMap(({ calls }) => calls?.map(({ id }) => id) ?? []));
  return nodes.filter(
    ({ kind, results }) => kind !== "user" || !results?.length || results.some(({ id }) => called.has(id)),
  );
}
