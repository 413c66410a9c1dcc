/** What was removed, in numbers only. */
export interface RedactionReport {
  readonly total: number;
  readonly byKind: Readonly<Record<string, number>>;
  /** For each place, as the caller calls it, how many of each kind. */
  readonly byPlace: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface RedactionTally {
  count(kind: string, place: string): void;
  report(): RedactionReport;
}

export function createTally(): RedactionTally {
  const places = new Map<string, Map<string, number>>();
  return {
    count(kind, place) {
      const kinds = places.get(place) ?? new Map<string, number>();
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      places.set(place, kinds);
    },
    report() {
      const byKind = new Map<string, number>();
      for (const [kind, count] of [...places.values()].flatMap((kinds) => [...kinds])) {
        byKind.set(kind, (byKind.get(kind) ?? 0) + count);
      }
      return {
        total: [...byKind.values()].reduce((sum, count) => sum + count, 0),
        byKind: Object.fromEntries(byKind),
        byPlace: Object.fromEntries([...places].map(([place, kinds]) => [place, Object.fromEntries(kinds)])),
      };
    },
  };
}
