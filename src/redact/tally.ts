/**
 * What was removed, in numbers only. `total` and the tables by kind and place count every replacement. `secrets` counts each
 * secret once, wherever and however often it stands: that number is the same for a scan, an export, a dry run and an edit of
 * the same content. Names, home folders and email addresses are no secrets.
 */
export interface RedactionReport {
  readonly total: number;
  readonly byKind: Readonly<Record<string, number>>;
  /** For each place, as the caller calls it, how many of each kind. */
  readonly byPlace: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly secrets: number;
}

export interface RedactionTally {
  count(kind: string, place: string, secret: string): void;
  report(): RedactionReport;
}

/** What identifies a person or a machine, and opens nothing. */
const IDENTITY: ReadonlySet<string> = new Set(["home", "user", "email"]);

export function createTally(): RedactionTally {
  const places = new Map<string, Map<string, number>>();
  const secrets = new Set<string>();
  return {
    count(kind, place, secret) {
      const kinds = places.get(place) ?? new Map<string, number>();
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      places.set(place, kinds);
      if (!IDENTITY.has(kind)) secrets.add(fingerprint(secret));
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
        secrets: secrets.size,
      };
    },
  };
}

/** The same form for a secret and its JSON-escaped copies. */
export function canonical(secret: string): string {
  return secret.replace(/(?:\\+[nrt]|\s)+/g, " ").replace(/\\+(?=["'/])/g, "");
}

/** Equal for equal secrets, without showing them; a weak password could still be guessed from it. */
export function fingerprint(secret: string): string {
  const text = canonical(secret);
  return hash(text, 0x811c9dc5) + hash(text, 0x1b873593);
}

// FNV-1a with a final mix. Not node:crypto, because the web UI uses the redactor too.
function hash(text: string, seed: number): string {
  let value = seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, "0");
}
