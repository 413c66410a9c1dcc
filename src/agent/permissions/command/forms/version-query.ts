import { type Opened, READS_NOTHING } from "../read-arguments.js";

/**
 * Programs that print their version before they read anything of the folder. Left out on purpose: those that read a file of the
 * project first, which can name another program or version (`npm`, `yarn`, `pnpm`, `cargo`, `rustc`, `go`), and those that write
 * to a cache (`tsc`, `java`).
 */
const QUERIES: Readonly<Record<string, RegExp>> = {
  bash: /^--version$/,
  cc: /^--version$/,
  clang: /^--version$/,
  gcc: /^--version$/,
  "g++": /^--version$/,
  make: /^--version$/,
  node: /^(?:-v|--version)$/,
  perl: /^(?:-v|--version)$/,
  python: /^(?:-V|--version)$/,
  python3: /^(?:-V|--version)$/,
};

/** `node --version`; undefined: it is no such query. */
export function readVersionQuery(program: string, args: readonly string[]): Opened | undefined {
  const [only = "", ...others] = args;
  const isQuery = Object.hasOwn(QUERIES, program) && others.length === 0 && QUERIES[program]?.test(only);
  return isQuery ? { ...READS_NOTHING, needsSystem: true } : undefined;
}

/** Folders of the system, and of versions that tools for toolchains installed: not the scripts by which those choose one. */
const SYSTEM =
  /^\/(?:usr|bin|sbin|opt|nix\/store|Library|Applications|snap)\/|\/(?:\.nvm\/versions|fnm\/node-versions|\.asdf\/installs|mise\/installs|\.pyenv\/versions|\.local\/share\/uv\/python)\//;

export function isSystemPath(path: string): boolean {
  return SYSTEM.test(path);
}
