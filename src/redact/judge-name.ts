import { isRandom } from "./is-random.js";
import {
  HARMLESS_AFTER,
  KEY_WORDS,
  NEUTRAL_AFTER,
  OTHER_KEYS,
  OTHER_TOKENS,
  PASSWORD_WORDS,
  SECRET_KEYS,
  SECRET_TOKENS,
  SECRET_WORDS,
  SPOKEN_KEYS,
  TOKEN_WORDS,
} from "./name-words.js";

/**
 * What a name promises: a `password`, which people make up, a `secret`, or a `token` or `key`, which machines make and
 * which are ambiguous words in good company (`accessToken`, `api_key`). A bare `pass` is also what tests do, and a `hint`
 * needs a very random value to be a secret.
 */
export type NameClass = "password" | "pass" | "secret" | "token" | "key" | "hint";

/** Undefined for names that promise no secret: `max_tokens`, `tokenizer`, `publicKey`, `passwordField`, `author`. */
export function judgeName(name: string): NameClass | undefined {
  const known = judged.get(name);
  if (known !== undefined || judged.has(name)) return known;
  const isIdentifier = name.length >= 20 && isRandom(name); // asst_BK67Ho6lKey7wKXJO83tfuzl is no key
  const verdict = isIdentifier ? undefined : judgeWords(splitWords(name), spellingOf(name));
  if (judged.size >= MAX_REMEMBERED) judged.clear();
  judged.set(name, verdict);
  return verdict;
}

// Names repeat on every line of a session, so verdicts are remembered.
const judged = new Map<string, NameClass | undefined>();
const MAX_REMEMBERED = 5000;

/** `X_KEY` in an environment is a secret far more often than `xKey` in a program, and "the x key" in a text hardly ever. */
type Spelling = "environment" | "program" | "text";

function spellingOf(name: string): Spelling {
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name)) return "environment";
  return name.includes(" ") ? "text" : "program";
}

/** `apiKey`, `API_KEY`, `x-api-key` and `APIKey` are the same words. */
function splitWords(name: string): string[] {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
  return spaced.toLowerCase().match(/[a-z]+/g) ?? [];
}

function judgeWords(words: readonly string[], spelling: Spelling): NameClass | undefined {
  const at = words.findLastIndex((word) => classOfWord(word) !== undefined);
  const word = words[at];
  if (word === undefined) return undefined;
  const verdict = judgeCompany(word, words.slice(0, at), spelling);
  const rest = words.slice(at + 1);
  if (verdict === undefined || rest.every((after) => NEUTRAL_AFTER.has(after))) return verdict;
  return rest.some((after) => HARMLESS_AFTER.has(after)) ? undefined : "hint";
}

const GLUED_END = /(password|passwd|passphrase|secret|token|apikey|secretkey|accesskey|privatekey|authkey)s?$/;

function classOfWord(word: string): Exclude<NameClass, "hint"> | undefined {
  if (PASSWORD_WORDS.has(word)) return "password";
  if (SECRET_WORDS.has(word)) return "secret";
  if (TOKEN_WORDS.has(word)) return "token";
  if (KEY_WORDS.has(word)) return "key";
  const glued = GLUED_END.exec(word)?.[1]; // PGPASSWORD, authtoken, secretkey
  if (glued === undefined) return undefined;
  if (glued.startsWith("passw") || glued === "passphrase") return "password";
  return glued === "secret" ? "secret" : glued === "token" ? "token" : "key";
}

function judgeCompany(word: string, before: readonly string[], spelling: Spelling): NameClass | undefined {
  const verdict = classOfWord(word);
  if (word === "pass" && before.length === 0) return "pass";
  if (verdict === "token" && before.some((other) => OTHER_TOKENS.has(other))) return undefined;
  if (verdict === "token") return before.some((other) => SECRET_TOKENS.has(other)) ? "key" : "token";
  if (verdict !== "key" || !KEY_WORDS.has(word) || word.startsWith("api")) return verdict;
  if (spelling === "text") return SPOKEN_KEYS.has(before.at(-1) ?? "") ? "key" : undefined;
  if (before.some((other) => SECRET_KEYS.has(other) || classOfWord(other) !== undefined)) return "key";
  if (before.length === 0 || before.some((other) => OTHER_KEYS.has(other))) return undefined;
  return spelling === "environment" ? "key" : "hint";
}
