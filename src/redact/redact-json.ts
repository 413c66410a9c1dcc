import { judgeName } from "./judge/judge-name.js";

/** How to redact the strings of a JSON value. */
export interface StringRedaction {
  string(text: string, use: FieldUse): string;
  /** For strings that are the lines of one text; returns as many. */
  lines(lines: readonly string[]): string[];
  key(text: string): string;
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
    else if (Array.isArray(before)) Reflect.set(container, key, copyArray(before, use, redaction, slots));
    else if (isObject(before)) Reflect.set(container, key, copyObject(before, use, redaction, slots));
  }
  return Reflect.get(root.container, root.key);
}

/** A place in the copy that still has the original value. Pushed in reverse order, as the last one is processed first. */
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

/** The lines of a private key, as in a patch, are recognized only together. */
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

/** What the string in a field is, which decides how it is redacted. */
export type FieldUse =
  | { readonly kind: "text"; readonly name?: string } // any text; the name of its field may mark all of it as a secret
  | { readonly kind: "identifier" } // an id or hash: only secrets recognized by their own shape are removed
  | { readonly kind: "bytes" }; // images and signatures in base64: not redacted

/** `around` is the use of the object that contains the field. */
function fieldUse(key: string, siblings: object, around: FieldUse): FieldUse {
  const value: unknown = Reflect.get(siblings, key);
  if (typeof value !== "string") return { kind: "text", name: key };
  if (isBytes(key, value, siblings)) return { kind: "bytes" };
  if (IDENTIFIER_KEY.test(key) && value.length <= MAX_IDENTIFIER && !/\s/.test(value)) return { kind: "identifier" };
  return { kind: "text", name: nameBeside(key, siblings) ?? nameAround(key, around) ?? key };
}

const IDENTIFIER_KEY =
  /^(?:ids?|uuid|guid|hash|digest|sha\d*|checksum|integrity|signature|timestamp|type|subtype|role|version|model)$|[a-z](?:Ids?|I[Dd]|Uuid|UUID|Hash|Digest|Type|Version|Timestamp)$|_(?:ids?|uuid|hash|digest|type|version|timestamp)$/;
const MAX_IDENTIFIER = 200;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const MIN_BYTES = 64;

function isBytes(key: string, value: string, siblings: object): boolean {
  if (value.length < MIN_BYTES || !/^(?:data|base64|signature|thinkingSignature)$/.test(key) || !BASE64.test(value))
    return false;
  return key === "signature" || key === "thinkingSignature" || Object.values(siblings).some(isMediaMark);
}

/** `"base64"`, `"image/png"`, `"redacted_thinking"` beside the data. */
function isMediaMark(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^(?:base64|redacted_thinking|image|(?:image|audio|video|application)\/[\w.+-]+)$/.test(value)
  );
}

/** In `{ "name": "API_KEY", "value": "…" }` the name is in a sibling field. */
function nameBeside(key: string, siblings: object): string | undefined {
  if (!/^value$/i.test(key)) return undefined;
  const names = Object.entries(siblings).filter(([other]) => /^(?:name|key|variable)$/i.test(other));
  return names.map(([, name]) => name).find((name): name is string => typeof name === "string");
}

/** In `{ "password": { "value": "…" } }` the name is that of the enclosing object. */
function nameAround(key: string, around: FieldUse): string | undefined {
  return around.kind === "text" && /^(?:value|string|stringValue|S|plain|plaintext|raw|default)$/.test(key)
    ? around.name
    : undefined;
}
