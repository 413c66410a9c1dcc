import { resolve } from "node:path";
import type { Command } from "commander";
import { readText, UserError } from "../../errors.js";
import { Passphrase } from "../../store/sealed-file.js";
import type { Io } from "../io.js";
import { openPrompter } from "../terminal/prompter.js";

export interface PassphraseOptions {
  readonly passphraseFile?: string;
}

const PASSPHRASE_VARIABLE = "TURNLOG_PASSPHRASE";

/** A passphrase is never an argument: those are seen by everybody on the machine. */
export function addPassphraseOption(command: Command): Command {
  return command.option(
    "--passphrase-file <file>",
    `read the passphrase from the first line of a file (default: ${PASSPHRASE_VARIABLE}, else a prompt)`,
  );
}

/** From a file, the environment or the terminal. `isNew`: it is asked for twice. */
export async function readPassphrase(
  { passphraseFile }: PassphraseOptions,
  isNew: boolean,
  io: Io,
): Promise<Passphrase> {
  if (passphraseFile !== undefined) return new Passphrase(firstLine(resolve(io.cwd, passphraseFile)));
  const known = io.env[PASSPHRASE_VARIABLE];
  if (known) return new Passphrase(known);
  const input = io.stdin();
  if (!("isTTY" in input && input.isTTY === true)) {
    const hint = `use --passphrase-file, or set ${PASSPHRASE_VARIABLE}`;
    throw new UserError("usage", "there is no terminal to ask for the passphrase", hint);
  }
  const prompter = openPrompter(io);
  try {
    const text = await prompter.askSecret("Passphrase: ");
    if (isNew && (await prompter.askSecret("Again: ")) !== text)
      throw new UserError("usage", "the two passphrases differ", "nothing was written");
    return new Passphrase(text);
  } finally {
    prompter.close();
  }
}

function firstLine(path: string): string {
  try {
    return readText(path).split(/\r?\n/, 1)[0] ?? "";
  } catch (error) {
    throw new UserError("not-found", `cannot read the passphrase in ${path}`, "check --passphrase-file", {
      cause: error,
    });
  }
}
