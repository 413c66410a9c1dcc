import type { SecretKind } from "./prefix-kind.js";

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
    prefixes: ["$1$", "$5$", "$6$", "$y$"],
    body: /(?:rounds=\d+\$|j\w+\$)?[./A-Za-z0-9]{4,32}\$[./A-Za-z0-9]{22,}/,
  },
  { kind: "password-hash", prefixes: ["pbkdf2_sha256$"], body: /\d+\$[A-Za-z0-9]{8,}\$[A-Za-z0-9+/=]{40,}/ },
];
