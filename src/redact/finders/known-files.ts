import { isStandIn } from "../judge/is-stand-in.js";
import { isSecretValue } from "../judge/judge-value.js";
import { type Finder, type Finding, matchedGroup, type Stretch } from "./finding.js";

const MANIFESTS = ["kind: Secret", '"kind": "Secret"', '"kind":"Secret"', '\\"kind\\":\\"Secret'];

/** Secrets that the shape of a file gives away, whatever their names are: of Kubernetes and Terraform. */
export const fileFinders: readonly Finder[] = [
  {
    anchors: MANIFESTS,
    isGuess: true,
    find: (text, at) => dataOf(text, at).flatMap((value) => toFinding("secret", value, isSecretData(value.text))),
  },
  {
    anchors: ['"sensitive"', '\\"sensitive'],
    isGuess: true,
    find: (text, at) =>
      sensitiveValue(text, at).flatMap((value) =>
        toFinding("secret", value, isSecretValue(value.text, "password", "quoted")),
      ),
  },
  {
    anchors: ['random_password"', 'random_password\\"', "random_password."],
    isGuess: true,
    find: (text, at) => {
      const value = capture(RESULT, text.slice(at, at + MAX_RESOURCE), at, 1);
      return value ? toFinding("password", value, !isStandIn(value.text)) : [];
    },
  },
  {
    anchors: ['"kty"', '\\"kty'],
    isGuess: true,
    find: (text, at) =>
      privatePartsOf(text, at).flatMap((value) => toFinding("private-key", value, !isStandIn(value.text))),
  },
];

function toFinding(kind: string, { start, end }: Stretch, isSecret: boolean): Finding[] {
  return isSecret ? [{ kind, start, end, certain: false }] : [];
}

const capture = (pattern: RegExp, text: string, at: number, group: number) =>
  matchedGroup(pattern.exec(text), group, at);

const MAX_RESOURCE = 2000;
const RESULT = /\bresult(?:\\*"\s*:|\s*=)\s*\\*"([^"\\]{4,256})/d;

const MAX_MANIFEST = 8000;
const DATA = /(?:^|\n|\\+n)([ \t]*)(?:data|stringData):[ \t]*(?:\n|\\+n)/g;
const DATA_LINE = /([ \t]+)["']?[\w.-]{1,128}["']?:[ \t]*["']?([^\s"'\\]{4,8192})["']?[ \t]*(?:\n|\\+n|$)/dy;
const JSON_DATA = /\\*"(?:data|stringData)\\*"\s*:\s*\{([^{}]{1,8000})\}/dg;
const JSON_FIELD = /:\s*\\*"([^"\\]{4,8192})/dg;
const DOCUMENT_END = /(?:\n|\\n)---/;

/** The values below `data` in the manifest around a place. */
function dataOf(text: string, at: number): Stretch[] {
  const mark = MANIFESTS.find((literal) => text.startsWith(literal, at)) ?? "";
  const before = text.slice(Math.max(0, at - MAX_MANIFEST), at);
  const first = Math.max(before.lastIndexOf("\n---"), before.lastIndexOf("\\n---"), before.lastIndexOf(mark), 0);
  const after = text.slice(at, at + MAX_MANIFEST);
  const next = after.indexOf(mark, 1); // of another one, which reads what is around it
  const last = DOCUMENT_END.exec(after)?.index ?? (next < 0 ? after.length : next);
  const start = at - before.length + first;
  const part = text.slice(start, at + last);
  const blocks = [...part.matchAll(DATA)].flatMap((match) => linesBelow(part, match.index + match[0].length, start));
  const objects = [...part.matchAll(JSON_DATA)].flatMap((match) => {
    const body = matchedGroup(match, 1, start);
    return body ? [...body.text.matchAll(JSON_FIELD)].flatMap((field) => matchedGroup(field, 1, body.start) ?? []) : [];
  });
  return [...blocks, ...objects];
}

function linesBelow(part: string, from: number, start: number): Stretch[] {
  const values: Stretch[] = [];
  DATA_LINE.lastIndex = from;
  for (let match = DATA_LINE.exec(part); match; match = DATA_LINE.exec(part)) {
    const value = matchedGroup(match, 2, start);
    if (value) values.push(value);
  }
  return values;
}

/** Not a certificate, which such data often holds too. */
const isSecretData = (value: string) => !isStandIn(value) && !/^LS0tLS1CRUdJTiBD/.test(value);

const VALUE = /"value\\*"\s*:\s*\\*"([^"\\]{4,2048})/d;
const MAX_OUTPUT = 2400;

/** An output of Terraform: `{"value": "…", "sensitive": true}` in any order. */
function sensitiveValue(text: string, at: number): Stretch[] {
  if (!/^\\*"sensitive\\*"\s*:\s*true/.test(text.slice(at, at + 40))) return [];
  const before = text.slice(Math.max(0, at - MAX_OUTPUT), at);
  const open = before.lastIndexOf("{");
  const start = at - before.length + open;
  const end = text.slice(at, at + MAX_OUTPUT).indexOf("}");
  if (open < 0 || end < 0) return [];
  return [capture(VALUE, text.slice(start, at + end), start, 1) ?? []].flat();
}

const MAX_JWK = 4000;
const PRIVATE_PART = /"(?:d|p|q|dp|dq|qi|k)\\*"\s*:\s*\\*"([\w-]{16,})/dg;

/** What is private of a key in JSON (JWK): `{"kty": "RSA", "n": …, "d": …}`. */
function privatePartsOf(text: string, at: number): Stretch[] {
  const before = text.slice(Math.max(0, at - MAX_JWK), at);
  const start = at - before.length + Math.max(0, before.lastIndexOf("{"));
  const after = text.slice(at, at + MAX_JWK);
  const end = at + (after.includes("}") ? after.indexOf("}") : after.length);
  return [...text.slice(start, end).matchAll(PRIVATE_PART)].flatMap((match) => matchedGroup(match, 1, start) ?? []);
}
