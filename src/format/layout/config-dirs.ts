import { join, posix, win32 } from "node:path";
import { expandHome, isAbsoluteAnywhere, samePath } from "./path-forms.js";
import { projectSlugs, projectsDirOf } from "./session-paths.js";

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
  // Claude Code 2.1.326 composes accents in this name before it uses it.
  const fromEnv = splitList((input.env["CLAUDE_CONFIG_DIR"] ?? "").normalize("NFC"));
  const chosen = [named, fromEnv].find((list) => list.length > 0) ?? defaultDirs(input, place);
  return withoutRepeats(
    chosen.map((path) => absolute(path, place)),
    input.platform,
  );
}

/**
 * The folders in which versions of Claude Code look for the sessions of a working directory, that of the newest version first.
 * CLAUDE_CODE_PROJECT_DIR_NAME names one folder for all projects, but only in a folder that CLAUDE_CONFIG_DIR names (2.1.326).
 */
export function projectFolders(
  configRoot: string,
  cwd: string,
  env: ConfigDirsInput["env"],
): readonly [string, ...string[]] {
  const [newest, ...older] = projectSlugs(cwd);
  const shared = sharedProjectName(configRoot, env);
  const names = shared === undefined ? ([newest, ...older] as const) : ([shared, newest, ...older] as const);
  const [first, ...others] = names.map((name) => join(projectsDirOf(configRoot), name));
  return [first ?? "", ...others];
}

/** The name of the one folder for all projects, where there is one. */
export function sharedProjectName(configRoot: string, env: ConfigDirsInput["env"]): string | undefined {
  const name = env["CLAUDE_CODE_PROJECT_DIR_NAME"] ?? "";
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name) || DEVICE_NAME.test(name) || !env["CLAUDE_CONFIG_DIR"]?.trim())
    return undefined;
  const roots = configDirs({ env, platform: process.platform, cwd: process.cwd(), exists: () => false });
  return roots.some((root) => samePath(root, configRoot, process.platform)) ? name : undefined;
}

/** Names that Windows reserves in every folder. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

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
