import { isRandom } from "./is-random.js";

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

const PASSWORD_WORDS = wordSet(
  "password passwords passwd passwort passphrase passcode pwd pw pass psk requirepass masterauth storepass keypass pgpass",
);
const SECRET_WORDS = wordSet("secret secrets credential credentials cred creds authorization");
const TOKEN_WORDS = wordSet("token tokens auth jwt bearer pat");
const KEY_WORDS = wordSet("key keys apikey apikeys");

/** Keys that are secrets: `api_key`, `signingKey`. */
const SECRET_KEYS = wordSet(
  "api secret access private auth authentication encryption encrypt decryption signing sign master account admin " +
    "license licence subscription shared crypto cipher aes hmac webhook deploy service ingest ingestion write openai " +
    "anthropic claude gemini stripe twilio sendgrid mailgun datadog algolia cloudflare",
);

/** Those of them that people name in a sentence and mean a secret. */
const SPOKEN_KEYS = wordSet("api secret access private auth encryption signing master license licence account");

/** Keys that are none: `primaryKey`, `cache_key`, `GPG_KEY`, which is a fingerprint. */
const OTHER_KEYS = wordSet(
  "public publishable pub primary foreign cache partition sort sorting object storage hash translation locale react " +
    "query row group index unique composite registry idempotency dedupe dedup routing map dict shard widget host arrow " +
    "hot shortcut modifier short order lookup config settings item node record data entry list element component parent " +
    "child file path s blob bucket image asset message event feature flag metric label tag attr property prop field " +
    "column param header state store redux context session issue project ticket jira natural surrogate document doc " +
    "site lock mutex queue topic redis build artifact dependency package version checksum bundle content name type id " +
    "kind value old new next prev first last current selected active open tab menu cell grid tree leaf press down up " +
    "enter escape function control alt meta home end delete return space any dictionary json yaml env i gpg pgp schema " +
    "sequence correlation trace span segment",
);

/** Tokens that are as secret as keys. */
const SECRET_TOKENS = wordSet("api access auth refresh bearer bot server service deploy oauth webhook");

/** Tokens that are none: of texts, of pages, of languages. */
const OTHER_TOKENS = wordSet(
  "public next page continuation continue resume sync delta change lease skip scroll marker checkpoint cancel " +
    "cancellation start end eos bos pad unk mask sep cls stop special lexer parser css design color colour theme max min " +
    "num total input output prompt completion cached reasoning thinking count last prev previous operator keyword " +
    "identifier string punctuation syntax first cursor pagination used remaining per audio text image accepted rejected " +
    "budget estimated creation",
);

/** After the word that counts, these say nothing: `SECRET_KEY_BASE`, `apiKeyProd`, `tokenValue`. */
const NEUTRAL_AFTER = wordSet(
  "value plain plaintext raw b base prod production dev development stage staging test testing live local default old " +
    "new current primary secondary main backup confirm confirmation again override string str text encoded one two v x " +
    "global org admin read write ro rw sandbox",
);

/** After the word that counts, these name something about the secret, not the secret. */
const HARMLESS_AFTER = wordSet(
  "count counts type types limit limits budget usage id ids name names file files filename path paths dir url uri " +
    "endpoint host port length len size min max ttl expiry expires expire expiration expired at in age duration " +
    "timeout field fields input inputs policy rule rules prompt placeholder label hint title message messages error " +
    "errors regex pattern format schema strength reset required enabled disabled valid invalid validator validation " +
    "manager provider providers service store storage handler factory class index kind status state scope scopes " +
    "header headers prefix suffix param params arg args option options env var variable ref reference arn version " +
    "algorithm alg encoding encoder generator rotation source location column table map list set visibility visible " +
    "changed updated created date time fingerprint digest hash checksum hashed mask masked hidden used remaining total " +
    "per cost price rate bucket estimate ratio position offset start end mode method methods only pair pairs press code " +
    "codes event events up down stroke strokes word words exchange request requests response check checks tests config " +
    "configuration settings page form button link screen view flow stdin needed missing present exists callback guard " +
    "middleware controller module client server audience issuer user username chars selector vault",
);

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
