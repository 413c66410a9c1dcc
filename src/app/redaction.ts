import { readFileSync } from "node:fs";
import { UserError } from "../errors.js";
import { homeFolder, userName } from "../own-user.js";
import { createRedactor, type Redactor, type RedactorOptions } from "../redact/create-redactor.js";
import { type ParsedCustomPatterns, parseCustomPatterns } from "../redact/custom-patterns.js";
import { type Environment, readSettings } from "./settings.js";

export interface RedactionOptions {
  readonly redact: boolean;
  readonly redactEmails?: boolean;
  readonly redactPatterns?: string; // a file
}

/** For what leaves the machine: redacts keys, tokens, passwords, home folder, user name and the user's own patterns. */
export async function exportRedactor(options: Partial<RedactionOptions>, environment: Environment): Promise<Redactor> {
  return createRedactor(await exportRedaction(options, environment));
}

/** The same as options, for callers that create one redactor per session. */
export async function exportRedaction(
  options: Partial<RedactionOptions>,
  environment: Environment,
): Promise<RedactorOptions> {
  const { redact: configured } = await readSettings(environment);
  const patternsFile = options.redactPatterns ?? configured?.patternsFile;
  return {
    level: "redact",
    home: homeFolder(),
    user: userName(),
    emails: options.redactEmails ?? configured?.emails,
    customPatterns: patternsFile === undefined ? [] : (await readPatterns(patternsFile)).patterns,
  };
}

/** For what is shown: masks keys, tokens and passwords, not paths and names. */
export function maskingRedactor(onRemoved?: RedactorOptions["onRemoved"]): Redactor {
  return createRedactor({ level: "mask", onRemoved });
}

/** For what is shown or exported as it is. */
export const NO_REDACTION: Pick<Redactor, "json" | "stringify"> = {
  json: (value) => value,
  stringify: (value) => JSON.stringify(value),
};

async function readPatterns(path: string): Promise<ParsedCustomPatterns> {
  const parsed = await parseCustomPatterns(readText(path));
  const [problem] = parsed.problems;
  if (!problem) return parsed;
  const place = problem.name === "" ? path : `${problem.name} in ${path}`;
  throw new UserError("config", `invalid redaction pattern: ${place}`, problem.reason);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError("not-found", `cannot read the redaction patterns in ${path}`, "check --redact-patterns", {
      cause: error,
    });
  }
}
