import { type FieldUse, fieldUse } from "./field-use.js";
import { judgeName } from "./judge-name.js";

/** How to redact the strings of a JSON value. */
export interface StringRedaction {
  string(text: string, use: FieldUse): string;
  /** Strings that are the lines of one text; gives back as many. */
  lines(lines: readonly string[]): string[];
  key(text: string): string;
}

/**
 * A copy with every string redacted, by what its field is for. Structure, types and the order of keys stay. Works
 * through a list of what is left to do instead of calling itself, so that no depth of nesting can overflow the stack.
 */
export function redactJson(value: unknown, redaction: StringRedaction): unknown {
  const root: Slot = { container: { value }, key: "value", use: { kind: "text" } };
  const slots: Slot[] = [root];
  for (let slot = slots.pop(); slot; slot = slots.pop()) {
    const { container, key, use } = slot;
    const before = Reflect.get(container, key);
    if (typeof before === "string") Reflect.set(container, key, redaction.string(before, use));
    else if (Array.isArray(before)) Reflect.set(container, key, copyArray(before, use, redaction, slots));
    else if (isObject(before)) Reflect.set(container, key, copyObject(before, use, redaction, slots));
  }
  return Reflect.get(root.container, root.key);
}

/** A place in the copy that still holds the original value. The last is done first, so they are put in reverse order. */
interface Slot {
  readonly container: object;
  readonly key: string | number;
  readonly use: FieldUse;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function copyArray(source: readonly unknown[], use: FieldUse, redaction: StringRedaction, slots: Slot[]): unknown[] {
  const copy = isLinesOfKey(source) ? redaction.lines(source) : [...source];
  for (let key = copy.length - 1; key >= 0; key--) {
    slots.push({ container: copy, key, use: flagUse(source[key - 1]) ?? use });
  }
  return copy;
}

/** A private key in the lines of a patch is a secret only as a whole. */
function isLinesOfKey(source: readonly unknown[]): source is readonly string[] {
  const isLines = source.length > 1 && source.every((line) => typeof line === "string");
  return isLines && source.some((line) => /PRIVATE KEY|Private-Lines/.test(line));
}

/** In `["--password", "…"]` the flag names the value. */
function flagUse(previous: unknown): FieldUse | undefined {
  const flag = typeof previous === "string" ? /^--?([\w-]{2,64})$/.exec(previous)?.[1] : undefined;
  return flag !== undefined && judgeName(flag) ? { kind: "text", name: flag } : undefined;
}

function copyObject(source: object, use: FieldUse, redaction: StringRedaction, slots: Slot[]): object {
  const entries = Object.entries(source);
  const keys = uniqueKeys(entries.map(([key]) => redaction.key(key)));
  // fromEntries makes an own property even of `__proto__`, and Reflect.set then finds it.
  const copy = Object.fromEntries(entries.map(([, value], at) => [keys[at], value]));
  for (const [at, [key]] of [...entries.entries()].reverse()) {
    slots.push({ container: copy, key: keys[at] ?? key, use: fieldUse(key, source, use) });
  }
  return copy;
}

/** Two paths may become the same; neither entry may be lost. */
function uniqueKeys(keys: readonly string[]): string[] {
  const used = new Set<string>();
  return keys.map((key) => {
    let unique = key;
    for (let copy = 2; used.has(unique); copy++) unique = `${key} (${copy})`;
    used.add(unique);
    return unique;
  });
}
