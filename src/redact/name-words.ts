export const PASSWORD_WORDS = wordSet(
  "password passwords passwd passwort passphrase passcode pwd pw pass psk requirepass masterauth storepass keypass pgpass",
);
export const SECRET_WORDS = wordSet("secret secrets credential credentials cred creds authorization");
export const TOKEN_WORDS = wordSet("token tokens auth jwt bearer pat");
export const KEY_WORDS = wordSet("key keys apikey apikeys");

/** Keys that are secrets: `api_key`, `signingKey`. */
export const SECRET_KEYS = wordSet(
  "api secret access private auth authentication encryption encrypt decryption signing sign master account admin " +
    "license licence subscription shared crypto cipher aes hmac webhook deploy service ingest ingestion write openai " +
    "anthropic claude gemini stripe twilio sendgrid mailgun datadog algolia cloudflare",
);

/** Those of them that people name in a sentence and mean a secret. */
export const SPOKEN_KEYS = wordSet("api secret access private auth encryption signing master license licence account");

/** Keys that are none: `primaryKey`, `cache_key`, `GPG_KEY`, which is a fingerprint. */
export const OTHER_KEYS = wordSet(
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
export const SECRET_TOKENS = wordSet("api access auth refresh bearer bot server service deploy oauth webhook");

/** Tokens that are none: of texts, of pages, of languages. */
export const OTHER_TOKENS = wordSet(
  "public next page continuation continue resume sync delta change lease skip scroll marker checkpoint cancel " +
    "cancellation start end eos bos pad unk mask sep cls stop special lexer parser css design color colour theme max min " +
    "num total input output prompt completion cached reasoning thinking count last prev previous operator keyword " +
    "identifier string punctuation syntax first cursor pagination used remaining per audio text image accepted rejected " +
    "budget estimated creation",
);

/** After the word that counts, these say nothing: `SECRET_KEY_BASE`, `apiKeyProd`, `tokenValue`. */
export const NEUTRAL_AFTER = wordSet(
  "value plain plaintext raw b base prod production dev development stage staging test testing live local default old " +
    "new current primary secondary main backup confirm confirmation again override string str text encoded one two v x " +
    "global org admin read write ro rw sandbox",
);

/** After the word that counts, these name something about the secret, not the secret. */
export const HARMLESS_AFTER = wordSet(
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
