import type { Node } from "../../session/node.js";
import type { EditSource } from "../edit-source.js";

/** A branch whose first record names a parent that is lost, or leads in a circle, goes on from what stands before it in the file. */
export function bridgeRoot(source: EditSource, branch: readonly Node[]): readonly Node[] {
  const [root] = branch;
  const isLost = typeof root?.parentUuid === "string" && source.outline.mendedParents.get(root.uuid ?? "") === null;
  const before = isLost ? findBefore(source, root) : undefined;
  if (!root || before === undefined) return branch;
  const onBranch = new Set(branch);
  const earlier = source.viewBranch(before).active.filter((node) => !onBranch.has(node));
  const [first] = earlier;
  const isEarlier = first !== undefined && first.line < root.line;
  return isEarlier ? [...bridgeRoot(source, earlier), ...branch] : branch;
}

function findBefore({ records }: EditSource, { line }: Node): string | undefined {
  return records.findLast(
    (record) => record.line < line && (record.kind === "user" || record.kind === "assistant") && !record.isSidechain,
  )?.uuid;
}
