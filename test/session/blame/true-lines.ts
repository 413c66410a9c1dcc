/** One line of the file, the same object as long as it is the same line. */
export interface TrueLine {
  text: string;
  /** The turns that may be named. */
  readonly turns: Set<number>;
  /** The commits that brought it, under any of their names: it may have been rebased. */
  readonly commits: Set<string>;
  /** Only a person here had it so far: nothing else tells how it came. */
  isUnseen: boolean;
}

/**
 * Lines of the same words cannot be told apart where one of them was removed, moved or added: of an edit that says its place those
 * that it touched, else all in the file.
 */
export function relate(
  before: readonly TrueLine[],
  after: readonly TrueLine[],
  isDoubtful: (line: TrueLine) => boolean,
  isPlaced = false,
): void {
  const old = new Set(before);
  const stayed = linesInPlace(before, after);
  const isTouched = (line: TrueLine) => !stayed.has(line) && (old.has(line) || isDoubtful(line));
  const touched = new Set([...before, ...after].filter(isTouched).map(bare));
  const isMixed = (line: TrueLine) => (isPlaced ? isTouched(line) : touched.has(bare(line)));
  const known = [...before, ...after.filter((line) => !old.has(line) && isDoubtful(line))]
    .filter(isMixed)
    .map((line) => ({ line, turns: [...line.turns], commits: [...line.commits] }));
  for (const line of after) {
    if (!isMixed(line) || !(old.has(line) || isDoubtful(line))) continue;
    for (const other of known) if (bare(other.line) === bare(line)) take(line, other);
  }
}

/** The most lines that are in the same order in both. */
function linesInPlace(before: readonly TrueLine[], after: readonly TrueLine[]): Set<TrueLine> {
  const both = after.filter((line) => before.includes(line));
  const best: TrueLine[][] = [];
  both.forEach((line, at) => {
    const own = before.indexOf(line);
    const longest = best
      .slice(0, at)
      .filter((run) => before.indexOf(run.at(-1) as TrueLine) < own)
      .reduce<TrueLine[]>((most, run) => (run.length > most.length ? run : most), []);
    best.push([...longest, line]);
  });
  return new Set(best.reduce<TrueLine[]>((most, run) => (run.length > most.length ? run : most), []));
}

export function take(
  line: TrueLine,
  other: { readonly turns: Iterable<number>; readonly commits: Iterable<string> },
): void {
  for (const turn of other.turns) line.turns.add(turn);
  for (const commit of other.commits) line.commits.add(commit);
}

function bare({ text }: TrueLine): string {
  return text.replace(/\s+/g, "");
}
