import type { Node } from "./node.js";

/** The nodes of a session in file order, each uuid once. */
export interface Skeleton {
  readonly nodes: readonly Node[];
  has(uuid: string | undefined): boolean;
  append(node: Node): void;
  /** The same uuid again: the place of the first, the content of the last. Gives back what it replaced. */
  replace(node: Node): Node | undefined;
  hasMessage(key: string): boolean;
}

export function createSkeleton(known: readonly Node[] = []): Skeleton {
  const nodes = [...known];
  const indexOf = new Map<string, number>();
  nodes.forEach(({ uuid }, index) => {
    if (uuid !== undefined) indexOf.set(uuid, index);
  });
  const find = (uuid: string | null | undefined) => (typeof uuid === "string" ? indexOf.get(uuid) : undefined);

  return {
    nodes,
    has: (uuid) => find(uuid) !== undefined,
    append(node) {
      if (node.uuid !== undefined) indexOf.set(node.uuid, nodes.length);
      // Every uuid stands in a file twice; a long session keeps each string once.
      const parentUuid = nodes[find(node.parentUuid) ?? -1]?.uuid ?? node.parentUuid;
      nodes.push(Object.assign(node, { parentUuid }));
    },
    replace(node) {
      const index = find(node.uuid) ?? -1;
      const first = nodes[index];
      if (!first) return undefined;
      nodes[index] = { ...node, line: first.line, bodyLine: node.line };
      return first;
    },
    hasMessage: (key) => nodes.some(({ message }) => message === key),
  };
}
