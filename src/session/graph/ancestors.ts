/*
 * Answers about parents that are being worked out. A walk up to the root for each question would cost the square of the number of
 * records in a session that is compacted again and again.
 */

/** Whether nodes are below others. Node by node, in the order of their indexes, as their parents become known. */
export interface Ancestors {
  /** The parent of this node, and of all before it, stays as it is now. */
  settle(index: number): void;
  isBelow(index: number, ancestor: number): boolean;
}

/** Each settled node also points to one further up, so that a way up takes a number of steps that grows with its logarithm. */
export function trackAncestors(parent: Int32Array): Ancestors {
  const far = Int32Array.from(parent);
  const depth = new Int32Array(parent.length);
  const settle = (index: number) => {
    const above = parent[index] ?? -1;
    if (above < 0 || above >= index) {
      far[index] = index; // a parent further down in the file is only reached step by step
      return;
    }
    const further = far[above] ?? above;
    const furthest = far[further] ?? further;
    const isEven = depthAt(above) - depthAt(further) === depthAt(further) - depthAt(furthest);
    depth[index] = depthAt(above) + 1;
    far[index] = isEven ? furthest : above;
  };
  const depthAt = (index: number) => depth[index] ?? 0;
  return {
    settle,
    isBelow(index, ancestor) {
      if (ancestor < 0 || index === ancestor) return false;
      let at = index;
      // There may be circles, so the walk takes no more steps than there are nodes.
      for (let steps = 0; at > ancestor && steps < parent.length; steps++) {
        const next = far[at] ?? -1;
        at = next >= ancestor && next < at ? next : (parent[at] ?? -1);
      }
      return at === ancestor;
    },
  };
}

/** The nodes that lead to the same root or circle are one group. */
export interface Groups {
  isSame(a: number, b: number): boolean;
  join(a: number, b: number): void;
}

export function groupByRoot(parent: Int32Array): Groups {
  const head = Int32Array.from(parent, (_, index) => index);
  const headOf = (index: number) => {
    let at = index;
    for (let next = head[at] ?? at; next !== at; next = head[at] ?? at) {
      head[at] = head[next] ?? next;
      at = next;
    }
    return at;
  };
  const join = (a: number, b: number) => {
    head[headOf(a)] = headOf(b);
  };
  parent.forEach((above, index) => {
    if (above >= 0) join(index, above);
  });
  return { isSame: (a, b) => headOf(a) === headOf(b), join };
}
