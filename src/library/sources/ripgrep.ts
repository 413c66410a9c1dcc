import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { isFileError } from "../../errors.js";
import { once } from "../../lazy.js";

export interface Pattern {
  readonly source: string;
  readonly flags: readonly string[];
}

/** The path of ripgrep, as the package finds it, at once; undefined where it is not installed for this system. */
export const findRipgrep = once((): string | undefined => {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve("@vscode/ripgrep"));
    return resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`);
  } catch {
    return undefined;
  }
});

/** The files with a match; undefined where ripgrep cannot run. Files that it cannot read are left to the caller, who reports them. */
export async function filesWith(pattern: Pattern, paths: readonly string[]): Promise<string[] | undefined> {
  const ripgrep = findRipgrep();
  const found: string[] = [];
  for (const batch of inBatches(paths)) {
    const lines = ripgrep === undefined ? undefined : await runRipgrep(ripgrep, pattern, batch);
    if (lines === undefined) return undefined;
    found.push(...lines);
  }
  return found;
}

/** The files with one of these texts in their bytes. */
export function filesWithTexts(ripgrep: string, texts: ReadonlySet<string>, paths: readonly string[]): string[] {
  return searchNow(ripgrep, ["--fixed-strings", "--file", "-"], paths, [...texts].join("\n"));
}

/** The files that may hold this text: JSON may write any character as an escape. */
export function filesThatMayHold(ripgrep: string, text: string, paths: readonly string[]): string[] {
  return searchNow(ripgrep, ["--regexp", `${escapeRust(text)}|${ESCAPED}`], paths);
}

function searchNow(ripgrep: string, what: readonly string[], paths: readonly string[], input = ""): string[] {
  const found: string[] = [];
  for (const batch of paths.length === 0 ? [] : inBatches(paths)) {
    const args = [...OPTIONS, ...what, "--", ...batch];
    const { stdout } = spawnSync(ripgrep, args, { input, windowsHide: true, maxBuffer: MAX_OUTPUT_BYTES });
    found.push(...toPaths(stdout ?? Buffer.alloc(0)));
  }
  return found;
}

/** Any character that JSON need not escape, written as an escape. Control characters always are. */
export const ESCAPED = String.raw`\\u(?:[1-9a-fA-F]|0[1-9a-fA-F]|00[2-9a-fA-F])`;

export function escapeRust(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$#&\-~]/g, "\\$&");
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const OPTIONS = ["--no-config", "--text", "--null", "--files-with-matches", "--no-messages", "--no-ignore", "--hidden"];

function toPaths(output: Buffer): string[] {
  return output
    .toString()
    .split("\0")
    .filter((path) => path !== "");
}

/** Command lines may be 128 KiB long on Linux for each argument, and 32,767 characters in all on Windows. */
const MAX_COMMAND_LENGTH = process.platform === "win32" ? 24_000 : 500_000;

function* inBatches(paths: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const path of paths) {
    const bytes = Buffer.byteLength(path) + 3;
    if (batch.length > 0 && length + bytes > MAX_COMMAND_LENGTH) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(path);
    length += bytes;
  }
  yield batch;
}

async function runRipgrep(
  ripgrep: string,
  { source, flags }: Pattern,
  paths: readonly string[],
): Promise<string[] | undefined> {
  const child = attempt(() =>
    spawn(ripgrep, [...OPTIONS, ...flags, "--regexp", source, "--", ...paths], {
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
    }),
  );
  if (!child) return undefined;
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const status = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code));
  });
  const found = toPaths(Buffer.concat(chunks));
  const isDone = status === 0 || status === 1 || (status === 2 && found.length > 0);
  return isDone ? found : undefined;
}

/** Undefined where the system refuses to start it. */
function attempt<T>(start: () => T): T | undefined {
  try {
    return start();
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}
