import { UserError } from "../errors.js";

export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Returns the exit code, so that only `bin.ts` ends the process. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    io.stdout(`turnlog ${args.join(" ")}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    io.stderr(`turnlog: ${error.message}${error.hint ? `\n  ${error.hint}` : ""}\n`);
    return error.code === "usage" ? 2 : 1;
  }
}
