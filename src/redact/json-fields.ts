import { findInField } from "./finders/assigned/find-assigned.js";
import { findInCookieField, isSecretCookie } from "./finders/find-cookies.js";
import type { Finding } from "./finders/finding.js";
import { judgeName } from "./judge/judge-name.js";
import type { Tie } from "./judge/judge-value.js";
import { isPublishedSample } from "./judge/published-samples.js";

/** What the string in a field is, which decides how it is redacted. */
export type FieldUse =
  | TextUse
  | { readonly kind: "identifier" } // an id or hash: only secrets recognized by their own shape are removed
  | { readonly kind: "bytes" }; // images and signatures in base64: not redacted

/** Any text; the name of its field may mark all of it as a secret. */
interface TextUse {
  readonly kind: "text";
  readonly name?: string;
  /** How clearly the name belongs to the value; `quoted` without it. */
  readonly tie?: Tie;
  /** The name that fields below have instead of their own, as in the data of a Secret of Kubernetes. */
  readonly below?: string;
}

/** What the use of a field gives away, besides the text itself. */
export function findByField(text: string, use: FieldUse): Finding[] {
  if (use.kind !== "text" || use.name === undefined) return [];
  if (isPublishedSample(text)) return [];
  return [...findInField(use.name, text, use.tie), ...findInCookieField(use.name, text)];
}

/** In `["--password", "…"]` and `["x-api-key", "…"]` the element before names the value. */
export function elementUse(previous: unknown): FieldUse | undefined {
  if (typeof previous !== "string" || previous.length > MAX_NAME || !/^[\w.-]{2,}$/.test(previous)) return undefined;
  const flag = /^--?([\w-]{2,64})$/.exec(previous)?.[1];
  const name = flag ?? previous;
  const isName = judgeName(name) !== undefined || /^(?:set-)?cookie$/i.test(name);
  return isName ? { kind: "text", name, tie: flag ? "quoted" : "listed" } : undefined;
}

const MAX_NAME = 64;

/** `around` is the use of the object that contains the field. */
export function fieldUse(key: string, siblings: object, around: FieldUse): FieldUse {
  const value: unknown = Reflect.get(siblings, key);
  const below = nameBelow(key, siblings, around);
  if (typeof value !== "string") return { kind: "text", name: key, ...(below === undefined ? {} : { below }) };
  if (isBytes(key, value, siblings)) return { kind: "bytes" };
  if (below !== undefined) return { kind: "text", name: below };
  const beside = nameBeside(key, value, siblings);
  if (beside !== undefined) return { kind: "text", name: beside };
  if (IDENTIFIER_KEY.test(key) && value.length <= MAX_IDENTIFIER && !/\s/.test(value) && judgeName(key) === undefined) {
    return { kind: "identifier" };
  }
  return { kind: "text", name: nameAround(key, around) ?? key };
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
function nameBeside(key: string, value: string, siblings: object): string | undefined {
  if ("kty" in siblings && /^(?:d|p|q|dp|dq|qi|k)$/.test(key)) return "private_key"; // of a key in JSON
  if (!/^(?:value|val|defaultValue|secretValue)$/i.test(key)) return undefined;
  if (Reflect.get(siblings, "sensitive") === true) return "secret"; // an output of Terraform
  const names = Object.entries(siblings).filter(([other]) => NAME_FIELD.test(other));
  const name = names.map(([, other]) => other).find((other): other is string => typeof other === "string");
  const isCookie = name !== undefined && "domain" in siblings && isSecretCookie(name, value);
  return isCookie ? "cookie_secret" : name;
}

const NAME_FIELD = /^(?:name|key|variable|header|field|label|param(?:eter)?|setting|property)$/i;

/** In `{ "password": { "value": "…" } }` the name is that of the enclosing object. */
function nameAround(key: string, around: FieldUse): string | undefined {
  return around.kind === "text" && /^(?:value|string|stringValue|S|plain|plaintext|raw|default)$/.test(key)
    ? around.name
    : undefined;
}

/** The data of a Secret of Kubernetes, and what `random_password` of Terraform made. */
function nameBelow(key: string, siblings: object, around: FieldUse): string | undefined {
  const inherited = around.kind === "text" ? around.below : undefined;
  if (inherited === "password") return /^(?:instances|attributes|result|\d+)$/.test(key) ? inherited : undefined;
  if (inherited !== undefined) return inherited;
  if (Reflect.get(siblings, "kind") === "Secret" && /^(?:data|stringData)$/.test(key)) return "secret";
  return Reflect.get(siblings, "type") === "random_password" && key === "instances" ? "password" : undefined;
}
