import { useLayoutEffect } from "preact/hooks";

/** Something the page can do, as the box offers it. */
export interface Action {
  readonly label: string;
  /** Other words it is found by: the command that does the same. */
  readonly words?: string;
  /** The key that does it anywhere. */
  readonly keys?: string;
  run(): void;
}

const GROUPS = ["This session", "Actions"] as const;

interface Offer {
  readonly group: (typeof GROUPS)[number];
  readonly actions: readonly Action[];
}

const offered = new Set<Offer>();

/** Offers actions while the component is shown. */
export function useActions(group: Offer["group"], actions: readonly Action[]): void {
  useLayoutEffect(() => {
    const offer = { group, actions };
    offered.add(offer);
    return () => void offered.delete(offer);
  });
}

/** Those of what is shown before those of every page. */
export function offeredActions(): readonly (Action & { readonly group: string })[] {
  return [...offered]
    .toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group))
    .flatMap(({ group, actions }) => actions.map((action) => ({ ...action, group })));
}
