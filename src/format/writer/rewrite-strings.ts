import { JsonWalker, readString } from "../reader/json-scanner.js";
import { replaceSpans, type SpanReplacement } from "./replace-spans.js";

const COMMA = 0x2c;

/**
 * The bytes of a JSON object with only those strings replaced that differ between `before` (what the bytes say) and
 * `after` (the same shape, other strings and keys): spaces, escapes and the spelling of numbers stay. Undefined where
 * bytes and values do not match, as when a key is repeated and `before` has its last value only.
 */
export function rewriteStrings(bytes: Buffer, before: object, after: object): Buffer | undefined {
  const rewriter = new StringRewriter(before, after);
  rewriter.push(bytes, 0, bytes.length);
  const replacements = rewriter.finish();
  return replacements && replaceSpans(bytes, replacements);
}

class StringRewriter extends JsonWalker {
  readonly #replacements: SpanReplacement[] = [];
  #place: Place;
  #isMatch = true;

  constructor(before: object, after: object) {
    super();
    this.#place = new Place({ before: { root: before }, after: { root: after } }, undefined);
    this.#place.enterKey("root");
  }

  finish(): readonly SpanReplacement[] | undefined {
    return this.#isMatch && !this.isInString && !this.#place.around ? this.#replacements : undefined;
  }

  protected override passText(bytes: Buffer, start: number, end: number): void {
    if (!this.#isMatch) return;
    const text = this.#place.textAfter(() => readString(bytes, start - 1, end + 1) ?? "");
    if (text === undefined) this.#isMatch = false;
    else if (text !== UNCHANGED)
      this.#replacements.push({ start: start - 1, end: end + 1, text: JSON.stringify(text) });
  }

  protected override open(): void {
    const below = this.#place.below();
    if (below && this.#isMatch) this.#place = below;
    else this.#isMatch = false;
  }

  protected override close(): void {
    const { around, isComplete } = this.#place;
    if (around && isComplete && this.#isMatch) this.#place = around;
    else this.#isMatch = false;
  }

  protected override passByte(byte: number): void {
    if (byte === COMMA) this.#place.next();
  }
}

const UNCHANGED = Symbol("unchanged");

interface Pair {
  readonly before: object;
  readonly after: object;
}

/** The position of the walk inside one array or object. */
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
