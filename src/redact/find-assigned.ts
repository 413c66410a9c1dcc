import type { Finder } from "./finder.js";
import type { Finding } from "./finding.js";
import { judgeName, type NameClass } from "./judge-name.js";
import { isSecretValue } from "./judge-value.js";
import { readName } from "./read-name.js";
import { readValue, skipScheme, wholeValue } from "./read-value.js";
import type { Stretch } from "./stretch.js";

/** `API_KEY=…`, `"password": "…"`, `token: …`, `--password …`: a secret-like name and the value tied to it. */
export const findAssigned: Finder = {
  anchors: ["key", "token", "secret", "pass", "pwd", "pw:", "pw=", 'pw"', "psk", "cred", "auth", "jwt", "pat"],
  isGuess: true,
  anyCase: true,
  find(text, at) {
    const name = readName(text, at);
    const nameClass = name && judgeName(name.text);
    const value = name && nameClass && readValue(text, name);
    const isSecret = value && isSecretValue(value.text, nameClass, value.tie);
    return isSecret ? [toFinding(name.text, nameClass, wholeValue(text, value))] : [];
  },
};

/** The same for a name and a value that a JSON object ties together. */
export function findInField(name: string, value: string): Finding[] {
  const nameClass = judgeName(name);
  const secret = skipScheme({ text: value, start: 0, end: value.length });
  return nameClass && isSecretValue(secret.text, nameClass, "quoted") ? [toFinding(name, nameClass, secret)] : [];
}

function toFinding(name: string, nameClass: NameClass, { text, start, end }: Stretch): Finding {
  const known = KNOWN_FIELDS.find((field) => field.name.test(name) && field.value.test(text));
  if (known) return { kind: known.kind, start, end, certain: true };
  return { kind: nameClass === "password" ? "password" : "secret", start, end, certain: false };
}

/** Secrets without a mark of their own that a name and a length identify. */
const KNOWN_FIELDS = [
  { kind: "aws-secret", name: /secret.?access.?key|aws.?secret/i, value: /^[A-Za-z0-9+/\\]{40,42}$/ },
  { kind: "azure-key", name: /^(?:AccountKey|SharedAccessKey)$/i, value: /^[A-Za-z0-9+/%]{40,}={0,2}$/ },
];
