/** A stretch of text that must not leave. It never carries the secret itself. */
export interface Finding {
  readonly kind: string;
  readonly start: number;
  readonly end: number; // exclusive
  /** Named by its own shape, such as `ghp_…`; otherwise concluded from its surroundings, such as `password=`. */
  readonly certain: boolean;
  /** What it becomes where that says more than a placeholder would. */
  readonly mark?: string;
}

/** In order and without overlap: findings that overlap become one, named by the first certain of them. */
export function mergeFindings(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const next of findings.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && next.start < last.end) merged[merged.length - 1] = unite(last, next);
    else merged.push(next);
  }
  return merged;
}

function unite(first: Finding, second: Finding): Finding {
  const named = !first.certain && second.certain ? second : first;
  return { ...named, start: first.start, end: Math.max(first.end, second.end) };
}
