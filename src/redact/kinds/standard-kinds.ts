import type { SecretKind } from "./secret-kind.js";

/** Formats that no single issuer owns. */
export const standardKinds: readonly SecretKind[] = [
  { kind: "jwt", prefixes: ["eyJ"], body: /[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+){1,3}/ },
  // "-----BEGIN" in base64, as in Kubernetes files, followed by anything but a certificate or a public key
  { kind: "private-key", prefixes: ["LS0tLS1CRUdJTi"], body: /(?!BDRVJU|BQVUJM|BUUlVT)[A-Za-z0-9+/=]{40,}/ },
  // What password files and user tables hold: bcrypt, Argon2, crypt(3), Django.
  { kind: "password-hash", prefixes: ["$2a$", "$2b$", "$2y$"], body: /\d\d\$[./A-Za-z0-9]{50,53}/ },
  {
    kind: "password-hash",
    prefixes: ["$argon2"],
    body: /(?:id|i|d)\$v=\d+\$[\w=,]+\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}/,
  },
  {
    kind: "password-hash",
    prefixes: ["$1$", "$5$", "$6$", "$8$", "$9$", "$y$"],
    body: /(?:rounds=\d+\$|j\w+\$)?[./A-Za-z0-9]{4,32}\$[./A-Za-z0-9]{22,}/,
  },
  { kind: "password-hash", prefixes: ["pbkdf2_sha256$"], body: /\d+\$[A-Za-z0-9]{8,}\$[A-Za-z0-9+/=]{40,}/ },
  { kind: "password-hash", prefixes: ["$apr1$"], body: /[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}/ }, // htpasswd
  { kind: "password-hash", prefixes: ["{SHA}", "{SSHA}", "{SSHA256}", "{SSHA512}"], body: /[A-Za-z0-9+/]{26,}={0,2}/ },
  { kind: "password-hash", prefixes: ["$9$"], body: /(?=[\w.-]*\d)[\w.-]{16,}/ }, // Junos
  { kind: "password-hash", prefixes: ["md5"], body: /(?=[0-9a-f]*[a-f])[0-9a-f]{32}(?!\w)/ }, // PostgreSQL
  { kind: "password-hash", prefixes: ["$$apr1$$"], body: /[./A-Za-z0-9]{1,8}\$\$[./A-Za-z0-9]{22}/ }, // in a compose file
  {
    kind: "password-hash",
    prefixes: ["SCRAM-SHA-256$", "SCRAM-SHA-1$"],
    body: /\d+:[A-Za-z0-9+/=]{16,}\$[A-Za-z0-9+/=:]{40,}/,
  },
  { kind: "password-hash", prefixes: ["$P$", "$H$"], body: /[./A-Za-z0-9]{31}(?![./A-Za-z0-9])/ }, // phpass
  { kind: "password-hash", prefixes: ["$scrypt$", "$7$"], body: /[\w=,./+$]{50,}/ },
  {
    kind: "password-hash",
    prefixes: ["$pbkdf2-sha", "$pbkdf2-digest"],
    body: /[\w]{0,8}\$\d+\$[./A-Za-z0-9]{8,}\$[./A-Za-z0-9]{20,}/,
  },
  { kind: "password-hash", prefixes: ["pbkdf2:sha", "scrypt:"], body: /[\w:]{3,24}\$[A-Za-z0-9]{6,}\$[0-9a-f]{40,}/ }, // Werkzeug
  { kind: "password-hash", prefixes: ["bcrypt_sha256$", "argon2$argon2", "pbkdf2_sha1$"], body: /[\w$=,./+]{40,}/ },
  // acme_live_…, acme_pat_…: what issuers that nobody has listed write too; not what they publish
  {
    kind: "api-key",
    prefixes: ["_live_", "_test_", "_prod_", "_secret_", "_sk_", "_pat_", "_apikey_", "_token_"],
    head: /(?<![A-Za-z0-9])(?!pk|pub)[a-z][a-z0-9]{1,15}$/,
    body: /(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}(?!\w)/,
  },
];
