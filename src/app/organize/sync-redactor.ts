import { hash } from "node:crypto";
import { redactLines, redactTextFile } from "../../edit/write/redact-file.js";
import type { StreamRedactor } from "../../library/machines/stream-content.js";
import { exportRedactors, redactionPolicy } from "../redaction.js";
import type { Environment } from "../settings.js";

/** Redacts what is synced as exports are. */
export async function syncRedactor(environment: Environment): Promise<StreamRedactor> {
  const newRedactor = await exportRedactors({}, environment);
  const redactor = newRedactor();
  return {
    policy: `redacted ${hash("sha256", await redactionPolicy(environment)).slice(0, 12)}`,
    text: (text) => redactor.text(text),
    lines: (path, from, to) => {
      const { json } = newRedactor();
      return Buffer.concat([...redactLines(path, json, undefined, { from, to })].map(({ bytes }) => bytes));
    },
    file: (path) => {
      const text = redactTextFile(path, newRedactor().json);
      return text === undefined ? undefined : Buffer.from(text);
    },
  };
}
