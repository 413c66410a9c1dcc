import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../errors.js";
import { expandHome } from "../format/layout/path-forms.js";
import { homeFolder, userName } from "../own-user.js";
import { createRedactor, type Redactor, type RedactorOptions } from "../redact/create-redactor.js";
import { type CustomPattern, parseCustomPatterns } from "../redact/custom-patterns.js";
import { dataFolderOf, type Environment, readSettings } from "./settings.js";

/*
 * The only place that makes redactors: each follows the user's settings. `test/architecture.test.ts` holds everybody else to it.
 */

export interface RedactionOptions {
  readonly redact: boolean;
  readonly redactEmails?: boolean;
  readonly redactPatterns?: string; // a file
}

/** For what leaves the machine: redacts keys, tokens, passwords, home folder, user name and the user's own patterns. */
export async function exportRedactor(options: Partial<RedactionOptions>, environment: Environment): Promise<Redactor> {
  return (await exportRedactors(options, environment))();
}

/** The same for callers that need one redactor per session. */
export async function exportRedactors(
  options: Partial<RedactionOptions>,
  environment: Environment,
): Promise<() => Redactor> {
  const { redact: configured } = await readSettings(environment);
  const redaction: RedactorOptions = {
    level: "redact",
    home: homeFolder(),
    user: userName(),
    emails: options.redactEmails ?? configured?.emails,
    customPatterns: await readOwnPatterns(environment, options.redactPatterns),
  };
  return () => createRedactor(redaction);
}

/** What the settings say about redaction: another text where something else is removed. */
export async function redactionPolicy(environment: Environment): Promise<string> {
  const { redact: configured } = await readSettings(environment);
  const patterns = await readPatternsFile(environment);
  return JSON.stringify({ emails: configured?.emails ?? false, patterns: patterns?.text ?? "" });
}

/** For what is shown: masks keys, tokens, passwords and the user's own patterns, not paths and names. */
export async function maskingRedactor(environment: Environment): Promise<Redactor> {
  return (await maskingRedactors(environment))();
}

/** The same for callers that need several. */
export async function maskingRedactors(
  environment: Environment,
): Promise<(onRemoved?: RedactorOptions["onRemoved"]) => Redactor> {
  const customPatterns = await readOwnPatterns(environment);
  return (onRemoved) => createRedactor({ level: "mask", customPatterns, onRemoved });
}

/** For a process that runs long: the same redactor as long as the user's patterns are the same. */
export function keepMasking(environment: Environment): () => Promise<Redactor> {
  let kept: { readonly key: string; readonly redactor: Redactor } | undefined;
  return async () => {
    const file = await readPatternsFile(environment);
    const key = file === undefined ? "" : `${file.path}\n${file.text}`;
    if (kept?.key !== key)
      kept = { key, redactor: createRedactor({ level: "mask", customPatterns: await parseFile(file) }) };
    return kept.redactor;
  };
}

/** For what is shown or exported as it is. */
export const NO_REDACTION: Pick<Redactor, "json" | "stringify" | "learn"> = {
  learn: () => {},
  json: (value) => value,
  stringify: (value) => JSON.stringify(value),
};

async function readOwnPatterns(environment: Environment, named?: string): Promise<readonly CustomPattern[]> {
  return parseFile(await readPatternsFile(environment, named));
}

interface PatternsFile {
  readonly path: string;
  readonly text: string;
}

/** `named` is the file that a command's option names; else the one of config.json, relative to turnlog's data folder. */
async function readPatternsFile(environment: Environment, named?: string): Promise<PatternsFile | undefined> {
  if (named !== undefined) return readText(resolve(environment.cwd, named), "check --redact-patterns");
  const { redact: configured } = await readSettings(environment);
  if (configured?.patternsFile === undefined) return undefined;
  const path = resolve(dataFolderOf(environment), expandHome(configured.patternsFile, homeFolder()));
  return readText(path, "check redact.patternsFile in config.json");
}

async function parseFile(file: PatternsFile | undefined): Promise<readonly CustomPattern[]> {
  if (file === undefined) return [];
  const { patterns, problems } = await parseCustomPatterns(file.text);
  const [problem] = problems;
  if (!problem) return patterns;
  const place = problem.name === "" ? file.path : `${problem.name} in ${file.path}`;
  throw new UserError("config", `invalid redaction pattern: ${place}`, problem.reason);
}

function readText(path: string, hint: string): PatternsFile {
  try {
    return { path, text: readFileSync(path, "utf8") };
  } catch (error) {
    throw new UserError("not-found", `cannot read the redaction patterns in ${path}`, hint, { cause: error });
  }
}
