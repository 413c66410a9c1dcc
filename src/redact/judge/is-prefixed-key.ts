import { isRandom, wordiness } from "./is-random.js";
import { isStandInBody } from "./is-stand-in.js";
import { hasAllCases } from "./is-unmistakable.js";

/** `acme_sk_…`, `tok-…`: what an issuer writes who marks keys by a prefix, and is not on any list. */
export function isPrefixedKey(value: string): boolean {
  const [, prefix = "", body = ""] = PREFIXED.exec(value) ?? [];
  const words = prefix.split(/[_-]/);
  if (prefix === "" || words.some((word) => ID_PREFIXES.has(word)) || isStandInBody(body)) return false;
  const isTelling = words.some((word) => KEY_PREFIXES.has(word));
  if (isTelling && HEX_BODY.test(body)) return true;
  if (!isTelling && (body.length < MIN_UNTOLD || !isName(words))) return false;
  return hasAllCases(body) && isRandom(body);
}

export const MAX_PREFIXED = 128;
const MIN_UNTOLD = 32;
const PREFIXED = /^((?:[a-z][a-z0-9]{1,11}[_-]){1,3})([A-Za-z0-9]{20,})$/;
/** Not the beginning of a random value. */
const isName = (words: readonly string[]) => /^[a-z]{3,}$/.test(words[0] ?? "") && wordiness(words[0] ?? "") >= 0.5;
const HEX_BODY = /^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{48}|[\da-f]{64})$/;

const KEY_PREFIXES: ReadonlySet<string> = new Set(
  "sk rk pat tok token secret apikey priv svc bot access refresh oauth bearer webhook whsec signkey deploy ci".split(
    " ",
  ),
);

/** What stands before ids, names of files and keys that everybody may see. */
const ID_PREFIXES: ReadonlySet<string> = new Set(
  (
    "pk pub public publishable site cs pi seti src ch evt in sub price prod cus acct req msg run call resp file asst thread step batch vs item " +
    "gen chatcmpl cmpl prj dpl team user org sess client session trace span img image sha commit build asset chunk " +
    "vendor css icon font index main page app node pod job task id uid uuid ref rev hash etag blob obj object doc " +
    "cursor next toolu srvtoolu tool conv chat model ft ftjob cache test spec example sample data media upload video doc docs post"
  ).split(" "),
);
