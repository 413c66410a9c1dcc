/** One of several files that hold the same message, call or turn. */
export interface Copy<Figures> {
  readonly key: string;
  readonly file: number;
  readonly isCopied: boolean;
  readonly figures: Figures;
}

/** The same message, call or turn in several files: it counts once, in the first of them. */
export interface Merged<Figures> {
  readonly key: string;
  readonly copies: readonly Copy<Figures>[];
  readonly file: number;
  readonly figures: Figures;
}

/** `pathOf` is undefined for files that are out of scope. */
export function mergeCopies<Figures>(
  copies: readonly Copy<Figures>[],
  pathOf: (file: number) => string | undefined,
  join: (figures: readonly [Figures, ...Figures[]]) => Figures,
): Merged<Figures>[] {
  const groups = new Map<string, Copy<Figures>[]>();
  for (const copy of copies) {
    if (pathOf(copy.file) === undefined) continue;
    const group = groups.get(copy.key);
    if (group) group.push(copy);
    else groups.set(copy.key, [copy]);
  }
  const merged: Merged<Figures>[] = [];
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const inOrder = (a: Copy<Figures>, b: Copy<Figures>) => compareCopies(a, b, pathOf);
    const first = group.reduce((best, copy) => (inOrder(copy, best) < 0 ? copy : best));
    const others = group.filter((copy) => copy !== first).sort(inOrder);
    const figures = join([first.figures, ...others.map((copy) => copy.figures)]);
    merged.push({ key: first.key, copies: group, file: first.file, figures });
  }
  return merged;
}

/** The original before what a fork brought along, then by path, so that the same one is chosen each time. */
function compareCopies(a: Copy<unknown>, b: Copy<unknown>, pathOf: (file: number) => string | undefined): number {
  if (a.isCopied !== b.isCopied) return a.isCopied ? 1 : -1;
  return (pathOf(a.file) ?? "") < (pathOf(b.file) ?? "") ? -1 : 1;
}
