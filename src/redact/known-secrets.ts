import { type Finding, isEscapeLetter } from "./finders/finding.js";
import { isStandIn } from "./judge/is-stand-in.js";
import { isHarmlessShape, isUuid } from "./judge/judge-value.js";

/** Secrets that were found by their names, to be found again where they stand without one. */
export interface KnownSecrets {
  remember(secret: string, kind: string): void;
  find(text: string): Finding[];
}

// What a person or a machine is called, and what only its place makes a secret.
const NOT_REMEMBERED: ReadonlySet<string> = new Set([
  "home",
  "user",
  "email",
  "private-key",
  "seed-phrase",
  "recovery-code",
]);

const MIN_LENGTH = 8;
const MAX_LENGTH = 512;
const MAX_KNOWN = 4096;
const GRAM = 3;
/** Whichever of the first characters of a secret a step meets, three of them are looked up. */
const STEP = MIN_LENGTH - GRAM + 1;
const CODES = 1 << 16;

interface Beginning {
  readonly secret: string;
  readonly kind: string;
  readonly offset: number; // of the three characters in the secret
}

export function createKnownSecrets(): KnownSecrets {
  const known = new Set<string>();
  const beginnings = new Map<number, Beginning[]>();
  const isMarked = new Uint8Array(CODES);
  const add = (secret: string, kind: string) => {
    if (known.has(secret) || known.size >= MAX_KNOWN) return;
    known.add(secret);
    for (let offset = 0; offset < STEP; offset++) {
      const code = codeAt(secret, offset);
      isMarked[code] = 1;
      beginnings.set(code, [...(beginnings.get(code) ?? []), { secret, kind, offset }]);
    }
  };
  return {
    remember(secret, kind) {
      if (known.has(secret) || NOT_REMEMBERED.has(kind) || !isSpecific(secret)) return;
      for (const form of [secret, ...encodingsOf(secret)]) add(form, kind);
    },
    find(text) {
      const found: Finding[] = [];
      for (let at = 0; known.size > 0 && at + GRAM <= text.length; at += STEP) {
        const code = codeAt(text, at);
        if (isMarked[code] === 1) found.push(...findAt(text, at, beginnings.get(code) ?? []));
      }
      return found;
    },
  };
}

function codeAt(text: string, at: number): number {
  return ((text.charCodeAt(at) << 10) ^ (text.charCodeAt(at + 1) << 5) ^ text.charCodeAt(at + 2)) & (CODES - 1);
}

/** Not a word, a number, a path or an id, which would be taken out of places where it is no secret. */
function isSpecific(secret: string): boolean {
  if (secret.length < MIN_LENGTH || secret.length > MAX_LENGTH || /\s/.test(secret)) return false;
  return (
    /\d/.test(secret) && /[A-Za-z]/.test(secret) && !isUuid(secret) && !isStandIn(secret) && !isHarmlessShape(secret)
  );
}

/** The same in a URL and in base64. */
function encodingsOf(secret: string): string[] {
  if (!/^[\x21-\x7e]+$/.test(secret)) return [];
  return [encodeURIComponent(secret), btoa(secret), btoa(secret).replace(/=+$/, "")];
}

function findAt(text: string, at: number, candidates: readonly Beginning[]): Finding[] {
  return candidates.flatMap(({ secret, kind, offset }) => {
    const start = at - offset;
    const end = start + secret.length;
    const isThere = start >= 0 && text.startsWith(secret, start) && isWhole(text, start, end);
    return isThere ? [{ kind, start, end, certain: false }] : [];
  });
}

/** Not the middle of a longer word. */
function isWhole(text: string, start: number, end: number): boolean {
  const startsWord =
    !isLetterOrDigit(text, start - 1) || !isLetterOrDigit(text, start) || isEscapeLetter(text, start - 1);
  return startsWord && !(isLetterOrDigit(text, end) && isLetterOrDigit(text, end - 1));
}

const isLetterOrDigit = (text: string, at: number) => /[A-Za-z0-9]/.test(text.charAt(at));
