import { posix, win32 } from "node:path";
import { expandHome, isAbsoluteAnywhere, samePath } from "./path-forms.js";

export interface ConfigDirsInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** What relative paths are relative to. */
  readonly cwd: string;
  /** The home folder; without it `USERPROFILE` on Windows, `HOME` elsewhere. */
  readonly home?: string | undefined;
  /** The value or values of `--config-dir`, each with several folders separated by commas. */
  readonly explicit?: string | readonly string[] | undefined;
  /** Asked only about the XDG folder, which counts when it is there. */
  readonly exists: (path: string) => boolean;
}

/**
 * The configuration folders of Claude Code, absolute and each once: those named, else those of `CLAUDE_CONFIG_DIR`, else
 * `~/.claude` and, where it exists, `claude` in the XDG configuration folder. An empty value is no value.
 */
export function configDirs(input: ConfigDirsInput): readonly string[] {
  const place = placeOf(input);
  const named = [input.explicit ?? []].flat().flatMap(splitList);
  const fromEnv = splitList(input.env["CLAUDE_CONFIG_DIR"] ?? "");
  const chosen = [named, fromEnv].find((list) => list.length > 0) ?? defaultDirs(input, place);
  return withoutRepeats(
    chosen.map((path) => absolute(path, place)),
    input.platform,
  );
}

interface Place {
  readonly path: typeof posix;
  readonly home: string | undefined;
  readonly cwd: string;
}

function placeOf({ env, platform, home, cwd }: ConfigDirsInput): Place {
  const isWindows = platform === "win32";
  const fromEnv = env[isWindows ? "USERPROFILE" : "HOME"] || undefined;
  return { path: isWindows ? win32 : posix, home: home || fromEnv, cwd };
}

/** Only commas separate: `;` and `:` are part of Windows paths and of ordinary names. */
function splitList(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function defaultDirs({ env, exists }: ConfigDirsInput, { path, home }: Place): string[] {
  const xdgHome = env["XDG_CONFIG_HOME"] ?? "";
  // The XDG specification says that a relative value is invalid and counts as unset.
  const configHome = isAbsoluteAnywhere(xdgHome) ? xdgHome : home && path.join(home, ".config");
  const xdg = configHome && path.join(configHome, "claude");
  return [...(home ? [path.join(home, ".claude")] : []), ...(xdg && exists(xdg) ? [xdg] : [])];
}

function absolute(path: string, place: Place): string {
  return place.path.resolve(place.cwd, place.home ? expandHome(path, place.home) : path);
}

function withoutRepeats(paths: readonly string[], platform: NodeJS.Platform): string[] {
  return paths.filter((path, index) => paths.findIndex((other) => samePath(path, other, platform)) === index);
}
