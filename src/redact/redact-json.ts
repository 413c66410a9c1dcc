import { elementUse, type FieldUse, fieldUse } from "./json-fields.js";

/** How to redact the strings of a JSON value. */
export interface StringRedaction {
  string(text: string, use: FieldUse): string;
  /** For strings that are the lines of one text; returns as many. */
  lines(lines: readonly string[]): string[];
  key(text: string): string;
  /** Called for each object before what it holds. */
  object(source: object): void;
  /** A number may be a password: then it becomes a text. */
  number(value: number, use: FieldUse): number | string;
}

/**
 * A copy with every string redacted, by the use of its field. Structure, types and the order of keys stay the same. Uses
 * a work list instead of recursion, so that deep nesting cannot overflow the stack.
 */
export function redactJson(value: unknown, redaction: StringRedaction): unknown {
  const root: Slot = { container: { value }, key: "value", use: { kind: "text" } };
  const slots: Slot[] = [root];
  for (let slot = slots.pop(); slot; slot = slots.pop()) {
    const { container, key, use } = slot;
    const before = Reflect.get(container, key);
    if (typeof before === "string") Reflect.set(container, key, redaction.string(before, use));
    else if (typeof before === "number") Reflect.set(container, key, redactNumber(before, use, redaction));
    else if (isObject(before)) Reflect.set(container, key, copyFields(toFields(before, use, redaction), slots));
  }
  return Reflect.get(root.container, root.key);
}

/** A place in the copy that still has the original value. Pushed in reverse order, as the last one is processed first. */
interface Slot {
  readonly container: object;
  readonly key: string | number;
  readonly use: FieldUse;
}

function copyFields({ keys, values, useAt }: Fields, slots: Slot[]): object {
  // fromEntries makes an own property even of `__proto__`, and Reflect.set then finds it.
  const copy = keys ? Object.fromEntries(values.map((value, at) => [keys[at], value])) : [...values];
  for (let at = values.length - 1; at >= 0; at--) {
    slots.push({ container: copy, key: keys?.[at] ?? at, use: useAt(at) });
  }
  return copy;
}

/** What JSON.stringify makes of the copy, without making the copy. */
export function writeRedacted(value: object, redaction: StringRedaction): string {
  const open: { readonly fields: Fields; next: number; separator: string }[] = []; // around the value that is written
  let text = "";
  const begin = (source: object, use: FieldUse) => {
    const fields = toFields(source, use, redaction);
    text += fields.keys ? "{" : "[";
    open.push({ fields, next: 0, separator: "" });
  };
  begin(value, { kind: "text" });
  for (let around = open.at(-1); around; around = open.at(-1)) {
    const { keys, values, useAt } = around.fields;
    const at = around.next++;
    if (at === values.length) {
      text += keys ? "}" : "]";
      open.pop();
      continue;
    }
    const field = values[at];
    const scalar =
      typeof field === "string" || typeof field === "number" ? redactScalar(field, useAt(at), redaction) : field;
    const written = isObject(field) ? "" : (JSON.stringify(scalar) ?? (keys ? undefined : "null"));
    if (written === undefined) continue;
    text += `${around.separator}${keys ? `${JSON.stringify(keys[at])}:` : ""}${written}`;
    around.separator = ",";
    if (isObject(field)) begin(field, useAt(at));
  }
  return text;
}

function redactScalar(value: string | number, use: FieldUse, redaction: StringRedaction): string | number {
  return typeof value === "string" ? redaction.string(value, use) : redactNumber(value, use, redaction);
}

const MIN_NUMBER = 100_000; // shorter ones are counts and limits

function redactNumber(value: number, use: FieldUse, redaction: StringRedaction): number | string {
  return value >= MIN_NUMBER && use.kind === "text" && use.name !== undefined ? redaction.number(value, use) : value;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** What a list or an object holds: its keys redacted, its values not yet, and by which use each of them is to be. */
interface Fields {
  readonly keys?: readonly string[]; // of an object
  readonly values: readonly unknown[];
  useAt(index: number): FieldUse;
}

function toFields(source: object, use: FieldUse, redaction: StringRedaction): Fields {
  if (Array.isArray(source)) {
    const values = isLinesOfKey(source) ? redaction.lines(source) : source;
    return { values, useAt: (index) => elementUse(source[index - 1]) ?? use };
  }
  redaction.object(source);
  const keys = Object.keys(source);
  return {
    keys: uniqueKeys(keys.map((key) => redaction.key(key))),
    values: Object.values(source),
    useAt: (index) => fieldUse(keys[index] ?? "", source, use),
  };
}

/** The lines of a private key, as in a patch, are recognized only together. */
function isLinesOfKey(source: readonly unknown[]): source is readonly string[] {
  const isLines = source.length > 1 && source.every((line) => typeof line === "string");
  return isLines && source.some((line) => /PRIVATE KEY|Private-Lines/.test(line));
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
