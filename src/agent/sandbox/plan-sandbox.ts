import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expandHome } from "../../format/layout/path-forms.js";
import { isWithin, realPath } from "../workspace.js";
import { onlyForRoot } from "./only-for-root.js";
import type { Survey } from "./survey-traps.js";

/** What commands in the sandbox see of the file system. All paths are absolute and without links. Later fields win over earlier ones. */
export interface SandboxPlan {
  /** Folders that are empty inside: homes, and sockets of services, through which a command could leave the sandbox. */
  readonly emptied: readonly string[];
  /** Folders for temporary files; a private folder is in their place where that is possible. */
  readonly temporary: readonly string[];
  readonly privateTemporary: string;
  /** Parts of what is emptied that programs need. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Must not be renamed or replaced; what is in them may be changed. */
  readonly pinned: readonly string[];
  /** Inside of what is writable: what other programs would run later, outside of the sandbox. */
  readonly readOnly: readonly string[];
  /** Keys and sessions, wherever they are. */
  readonly hidden: readonly HiddenPath[];
  readonly allowsNetwork: boolean;
  readonly allowsUnixSockets: boolean;
}

export interface HiddenPath {
  readonly path: string;
  readonly isFolder: boolean;
}

export interface SandboxWishes {
  readonly allowsNetwork: boolean;
  /** Default: no. Some programs talk to their own parts by such sockets, but other programs listen to them too. */
  readonly allowsUnixSockets?: boolean | undefined;
  /** More of the home folder that commands may read. */
  readonly readable: readonly string[];
}

export interface SandboxPlaces {
  readonly roots: readonly string[];
  readonly home: string;
  readonly configRoot: string;
  readonly dataDir: string;
  readonly privateTemporary: string;
}

/** `found`: what other programs would run by themselves, and repositories, wherever they are in the project. */
export function planSandbox(
  places: SandboxPlaces,
  wishes: SandboxWishes,
  found: Pick<Survey, "found" | "repositories">,
): SandboxPlan {
  const { allowsNetwork, allowsUnixSockets = false, readable } = wishes;
  const { home, privateTemporary } = places;
  const emptied = existing([...HOMES, home, ...SERVICES]).filter((path) => path !== "/");
  const isEmptied = (path: string) => emptied.some((folder) => isWithin(path, folder));
  const programs = [...TOOLCHAINS.map((name) => join(home, name)), ...programFolders(home, isEmptied)];
  const wished = readable.map((path) => expandHome(path, home));
  const writable = existing(places.roots);
  const isWritable = (path: string) => writable.some((root) => isWithin(path, root));
  return {
    emptied,
    temporary: existing(["/tmp", "/var/tmp"]),
    privateTemporary: realPath(privateTemporary),
    readable: existing([...programs, ...wished, ...(allowsNetwork ? RESOLVERS : [])]),
    writable,
    pinned: existing([...found.repositories.keys()])
      .filter(isFolder)
      .filter(isWritable),
    // What links out of the project lead to is not writable, and may be hidden.
    readOnly: existing([...writable.flatMap(runByOthers), ...foundFiles(found)]).filter(isWritable),
    hidden: hiddenPaths(places, writable),
    allowsNetwork,
    allowsUnixSockets,
  };
}

const HOMES = ["/home", "/root", "/Users"];
const SERVICES = ["/run", "/var/run"];
/** Names of hosts are looked up there. */
const RESOLVERS = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf"];

/** Below the home folder: programs, and what they installed for others. */
const TOOLCHAINS = [
  ".local/bin",
  ".local/lib",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/pnpm",
  ".local/share/uv",
  ".nvm",
  ".volta",
  ".asdf",
  ".bun",
  ".deno",
  ".cargo/bin",
  ".cargo/registry",
  ".rustup",
  ".pyenv",
  ".rbenv",
  ".rvm",
  ".sdkman",
  ".m2/repository",
  "go",
  ".gitconfig",
  ".config/git/config",
  ".config/git/ignore",
];

/** ripgrep searches for the model; it is where turnlog is installed. `…/bin` alone is often of no use: programs load what is beside it. */
function programFolders(home: string, isEmptied: (path: string) => boolean): readonly string[] {
  const found = [...(process.env["PATH"] ?? "").split(delimiter), dirname(process.execPath), dirname(rgPath)].filter(
    isAbsolute,
  );
  return found.flatMap((path) => {
    const above = dirname(path);
    const isWhole = /^s?bin$/.test(basename(path)) && ![home, join(home, ".local"), dirname(home), "/"].includes(above);
    return [path, ...(isWhole ? [above] : [])].filter((folder) => isEmptied(realPath(folder)));
  });
}

/** In a repository commands write, except to what git runs. A `.git` that is a file names a repository elsewhere. */
function foundFiles({ found, repositories }: Pick<Survey, "found" | "repositories">): readonly string[] {
  const marks = new Set(repositories.values());
  return [
    ...[...found.keys()].filter((path) => !marks.has(path)),
    ...[...repositories.keys()].flatMap((path) => (isFolder(path) ? GIT_RUNS.map((name) => join(path, name)) : [path])),
  ];
}

/** Inside of a git folder: what git runs, or where it finds configuration. */
const GIT_RUNS = ["branches", "config", "config.worktree", "hooks", "info", "modules", "remotes", "worktrees"];

/** Inside of a project: run or read by shells, editors and Claude Code. */
const RUN_BY_OTHERS = [
  ".claude",
  ".mcp.json",
  ".vscode",
  ".idea",
  ".devcontainer",
  ".husky",
  ".envrc",
  ".gitconfig",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".config",
  ".local/bin",
];

function runByOthers(root: string): readonly string[] {
  return RUN_BY_OTHERS.map((name) => join(root, name));
}

/** Below the home folder, for projects that contain it, and for folders that are readable because a program is there. */
const KEYS = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
  ".config/git/credentials",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".vault-token",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".password-store",
  ".local/share/keyrings",
  ".claude.json",
  ".bash_history",
  ".zsh_history",
];

/** A project inside of such a folder stays visible, except for the credentials themselves. */
function hiddenPaths({ home, configRoot, dataDir }: SandboxPlaces, roots: readonly string[]): readonly HiddenPath[] {
  const keys = KEYS.map((name) => join(home, name));
  const own = [configRoot, join(configRoot, ".credentials.json"), `${configRoot}.json`, dataDir];
  const all = existing([...keys, ...own, ...onlyForRoot()]);
  const kept = all.filter((path) => !roots.some((root) => isWithin(root, path)));
  return kept
    .filter((path) => !kept.some((other) => other !== path && isWithin(path, other)))
    .map((path) => ({ path, isFolder: isFolder(path) }));
}

function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
