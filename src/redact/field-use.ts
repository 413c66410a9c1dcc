/** What the string in a field is for, and so how it is redacted. */
export type FieldUse =
  | { readonly kind: "text"; readonly name?: string } // any text; the name says whether the whole of it is a secret
  | { readonly kind: "identifier" } // refers to something: only what is a secret by its own shape is removed
  | { readonly kind: "bytes" }; // images and signatures in base64: stays as it is

/** `around` is the use of the object that holds the field. */
export function fieldUse(key: string, siblings: object, around: FieldUse): FieldUse {
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

/** In `{ "name": "API_KEY", "value": "…" }` the name of the value stands beside it. */
function nameBeside(key: string, siblings: object): string | undefined {
  if (!/^value$/i.test(key)) return undefined;
  const names = Object.entries(siblings).filter(([other]) => /^(?:name|key|variable)$/i.test(other));
  return names.map(([, name]) => name).find((name): name is string => typeof name === "string");
}

/** In `{ "password": { "value": "…" } }` it stands around it. */
function nameAround(key: string, around: FieldUse): string | undefined {
  return around.kind === "text" && /^(?:value|string|stringValue|S|plain|plaintext|raw|default)$/.test(key)
    ? around.name
    : undefined;
}
