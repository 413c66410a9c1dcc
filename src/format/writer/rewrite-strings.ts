import { readString, skipValue } from "../reader/json-scanner.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * The bytes of a JSON object with only those strings written anew that differ between `before` (what the bytes say) and
 * `after` (the same shape, other strings and keys): spaces, escapes and the spelling of numbers stay. Undefined where
 * bytes and values do not match, as when a key stands twice and `before` knows the second only.
 */
export function rewriteStrings(bytes: Buffer, before: object, after: object): Buffer | undefined {
  const parts: Buffer[] = [];
  let copied = 0;
  let place = new Place({ before: { root: before }, after: { root: after } }, undefined);
  place.enterKey("root");
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) {
      const end = skipValue(bytes, at, bytes.length);
      const text = end < 0 ? undefined : place.textAfter(() => readString(bytes, at, end) ?? "");
      if (text === undefined) return undefined;
      if (text !== UNCHANGED) {
        parts.push(bytes.subarray(copied, at), Buffer.from(JSON.stringify(text)));
        copied = end;
      }
      at = end - 1;
    } else if (code === COMMA) place.next();
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      const below = place.below();
      if (!below) return undefined;
      place = below;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (!place.around || !place.isComplete) return undefined;
      place = place.around;
    }
  }
  return place.around ? undefined : Buffer.concat([...parts, bytes.subarray(copied)]);
}

const UNCHANGED = Symbol("unchanged");

interface Pair {
  readonly before: object;
  readonly after: object;
}

/** Where the walk stands inside one array or object. */
class Place {
  readonly #pair: Pair;
  /** The keys of an object and what they became; none for an array. */
  readonly #keys: ReadonlyMap<string, string> | undefined;
  #keysMet = 0;
  #expectsKey: boolean;
  #keyBefore: string | number = 0;
  #keyAfter: string | number = 0;

  constructor(
    pair: Pair,
    readonly around: Place | undefined,
  ) {
    this.#pair = pair;
    this.#keys = Array.isArray(pair.before) ? undefined : pairKeys(pair);
    this.#expectsKey = this.#keys !== undefined;
  }

  get isComplete(): boolean {
    return this.#keys === undefined || this.#keysMet === this.#keys.size;
  }

  /** What a string became; undefined where none is expected. Only keys are read: values may be long. */
  textAfter(read: () => string): string | typeof UNCHANGED | undefined {
    const { before, after } = this.#expectsKey ? this.enterKey(read()) : this.#value;
    if (typeof before !== "string" || typeof after !== "string") return undefined;
    return after === before ? UNCHANGED : after;
  }

  enterKey(key: string): { readonly before: string; readonly after: string | undefined } {
    const after = this.#keys?.get(key);
    this.#keysMet += 1;
    this.#expectsKey = false;
    this.#keyBefore = key;
    this.#keyAfter = after ?? key;
    return { before: key, after };
  }

  next(): void {
    if (this.#keys) this.#expectsKey = true;
    else this.#keyBefore = this.#keyAfter = Number(this.#keyAfter) + 1;
  }

  below(): Place | undefined {
    const { before, after } = this.#value;
    return isContainer(before) && isContainer(after) ? new Place({ before, after }, this) : undefined;
  }

  get #value(): { readonly before: unknown; readonly after: unknown } {
    const { before, after } = this.#pair;
    return { before: Reflect.get(before, this.#keyBefore), after: Reflect.get(after, this.#keyAfter) };
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

const NO_KEYS: ReadonlyMap<string, string> = new Map();

/** Both objects have their keys in one order, unless a renamed key was a number: JavaScript puts those first. */
function pairKeys({ before, after }: Pair): ReadonlyMap<string, string> {
  const keysAfter = Object.keys(after);
  const pairs = Object.keys(before).map((key, at): [string, string] => [key, keysAfter[at] ?? key]);
  return pairs.some(([key, renamed]) => key !== renamed && /^\d+$/.test(key)) ? NO_KEYS : new Map(pairs);
}
