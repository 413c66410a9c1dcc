import { readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { UserError } from "../errors.js";
import {
  createRedactor,
  type RedactionReport,
  type Redactor,
  type RedactorOptions,
} from "../redact/create-redactor.js";
import { type ParsedCustomPatterns, parseCustomPatterns } from "../redact/custom-patterns.js";
import type { Io } from "./io.js";
import type { RedactionOptions } from "./redaction-options.js";
import { readSettings } from "./settings.js";

/** For what leaves: keys, tokens, passwords, the home path, the user name, and what the person added. */
export async function exportRedactor(options: Partial<RedactionOptions>, io: Io): Promise<Redactor> {
  return createRedactor(await exportRedaction(options, io));
}

/** The same, for whoever makes one redactor per session. */
export async function exportRedaction(options: Partial<RedactionOptions>, io: Io): Promise<RedactorOptions> {
  const { redact: configured } = await readSettings(io);
  const patternsFile = options.redactPatterns ?? configured?.patternsFile;
  return {
    level: "redact",
    home: homedir(),
    user: userInfo().username,
    emails: options.redactEmails ?? configured?.emails,
    customPatterns: patternsFile === undefined ? [] : readPatterns(patternsFile).patterns,
  };
}

/** For what is shown: keys, tokens and passwords, not paths and names. */
export function maskingRedactor(onRemoved?: RedactorOptions["onRemoved"]): Redactor {
  return createRedactor({ level: "mask", onRemoved });
}

function readPatterns(path: string): ParsedCustomPatterns {
  const parsed = parseCustomPatterns(readText(path));
  const [problem] = parsed.problems;
  if (!problem) return parsed;
  const place = problem.name === "" ? path : `${problem.name} in ${path}`;
  throw new UserError("config", `a redaction pattern cannot be used: ${place}`, problem.reason);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError("not-found", `cannot read the redaction patterns ${path}`, "check --redact-patterns", {
      cause: error,
    });
  }
}

/** What was taken out, by kind and place; never what it was. */
export function describeRedaction({ total, byKind, byPlace }: RedactionReport): string {
  if (total === 0) return "redacted: nothing was found to take out\n";
  const counts = (kinds: Readonly<Record<string, number>>) =>
    Object.entries(kinds)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ");
  const places = Object.entries(byPlace).map(([place, kinds]) => `  ${place}: ${counts(kinds)}\n`);
  return `redacted: ${counts(byKind)}\n${places.join("")}`;
}
