import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { readIfReadable } from "../../errors.js";
import { findGitProgram } from "../../format/git/run-git.js";
import { homeFolder } from "../../own-user.js";
import { makeTemporaryFolder, removeTemporary } from "../../store/temporary.js";
import { COPIED_FILES, findRepository, LINKED_FILES, LINKED_FOLDERS, type Repository } from "./repository.js";
import { readExcludesFile } from "./repository-settings.js";

/**
 * A git directory of our own in front of a repository's data, for git commands that only read. A stranger's folder can make git
 * run programs in dozens of ways (fsmonitor, filters, textconv, hooks, aliases, gpg …), all of them by its configuration. Git
 * reads the shadow's configuration instead, which names no program but one that fails.
 *
 * It does not protect from options that name programs or enter other repositories: `-c`, `--git-dir`, `--ext-diff`,
 * `--textconv`, `cat-file --filters`, `--recurse-submodules`, `grep -O`. Who runs a command in it must not let them pass.
 */
export interface ShadowGit {
  /** The environment of a program whose git is to see the shadow. Git's own variables of `base` are left out. */
  environment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
  /** All of it is in this folder. */
  readonly folder: string;
  close(): void;
}

/**
 * Undefined: there is no repository, or not an ordinary one: `.git` is a file or a link, it is bare or inside of another one,
 * its data are partly elsewhere. Git must not be run there without a question.
 */
export function openShadowGit(folder: string): ShadowGit | undefined {
  const repository = process.platform === "win32" ? undefined : findRepository(folder);
  const program = repository && findGitProgram(repository.root);
  const failing = ["/bin/false", "/usr/bin/false"].find((path) => existsSync(path));
  if (!repository || program === undefined || failing === undefined) return undefined;
  const shadow = makeTemporaryFolder("git");
  const gitDir = join(shadow, "git");
  const bin = join(shadow, "bin");
  try {
    mkdirSync(bin);
    writeFileSync(join(bin, "git"), wrapper(program, gitDir), { mode: 0o700 });
    fill(gitDir, repository, failing);
  } catch (error) {
    removeTemporary(shadow);
    throw error;
  }
  return {
    environment: (base) => environment(base, { gitDir, bin, failing }, repository.root),
    folder: shadow,
    close: () => removeTemporary(shadow),
  };
}

/** Git enters a submodule by starting itself with another GIT_DIR, whose configuration counts: that fails here. */
function wrapper(program: string, gitDir: string): string {
  return `#!/bin/sh
if [ "$GIT_DIR" != ${quoted(gitDir)} ]; then
  echo "git: not run in another repository" >&2
  exit 128
fi
exec ${quoted(program)} "$@"
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fill(gitDir: string, repository: Repository, failing: string): void {
  mkdirSync(join(gitDir, "info"), { recursive: true });
  writeFileSync(
    join(gitDir, "config"),
    [...repository.settings, ...ownSettings(failing), ...personalSettings(), ""].join("\n"),
  );
  for (const name of COPIED_FILES) copy(join(repository.gitDir, name), join(gitDir, name));
  for (const name of [...LINKED_FILES, ...LINKED_FOLDERS, ...sharedIndexes(repository)]) {
    const source = join(repository.gitDir, name);
    if (lstatSync(source, { throwIfNoEntry: false })) symlinkSync(source, join(gitDir, name));
  }
}

/** A split index is completed by a second file. */
function sharedIndexes({ gitDir }: Repository): readonly string[] {
  const entries = readdirSync(gitDir, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name.startsWith("sharedindex.")).map(({ name }) => name);
}

/** With its time: git compares the times of files with that of the index. */
function copy(source: string, target: string): void {
  const stats = lstatSync(source, { throwIfNoEntry: false });
  if (!stats?.isFile()) return;
  copyFileSync(source, target, constants.COPYFILE_FICLONE);
  utimesSync(target, Math.floor(stats.mtimeMs / 1000), Math.floor(stats.mtimeMs / 1000));
}

/** After what is copied from the repository, so that these win. */
function ownSettings(failing: string): readonly string[] {
  return [
    "[core]",
    "\tbare = false",
    "\thooksPath = /dev/null",
    "\tattributesFile = /dev/null",
    "\tfsmonitor = false",
    "\tuntrackedCache = false",
    "\tlogAllRefUpdates = false",
    "\tpager = cat",
    `\teditor = ${failing}`,
    `\taskPass = ${failing}`,
    `\tsshCommand = ${failing}`,
    `\talternateRefsCommand = ${failing}`,
    "[sequence]",
    `\teditor = ${failing}`,
    "[credential]",
    "\thelper =",
    "[gpg]",
    `\tprogram = ${failing}`,
    '[gpg "ssh"]',
    `\tprogram = ${failing}`,
    '[gpg "x509"]',
    `\tprogram = ${failing}`,
    "[index]",
    "\tthreads = 1", // by several, parts are read by a table that was not checked
    "[protocol]",
    "\tallow = never",
    "[diff]",
    "\tignoreSubmodules = all",
    "[submodule]",
    "\trecurse = false",
    "[gc]",
    "\tauto = 0",
    "[maintenance]",
    "\tauto = false",
  ];
}

/** Git does not read the person's configuration either: it may name filters for attributes that the repository sets. */
function personalSettings(): readonly string[] {
  const config = process.env["XDG_CONFIG_HOME"] || join(homeFolder(), ".config");
  const files = [join(config, "git", "config"), join(homeFolder(), ".gitconfig")];
  const excludes = readExcludesFile(files.map((path) => readIfReadable(path) ?? ""));
  return excludes === undefined ? [] : ["[core]", `\texcludesFile = ${excludes}`];
}

interface Parts {
  readonly gitDir: string;
  readonly bin: string;
  readonly failing: string;
}

function environment(base: NodeJS.ProcessEnv, { gitDir, bin, failing }: Parts, root: string): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(base).filter(([name]) => !name.startsWith("GIT_"))),
    PATH: [bin, base["PATH"] ?? ""].join(delimiter),
    GIT_EXEC_PATH: bin,
    GIT_DIR: gitDir,
    GIT_WORK_TREE: root,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    PAGER: "cat",
    GIT_EDITOR: failing,
    GIT_SEQUENCE_EDITOR: failing,
    GIT_ASKPASS: failing,
    SSH_ASKPASS: failing,
    GIT_SSH: failing,
    GIT_SSH_COMMAND: failing,
    GIT_PROXY_COMMAND: failing,
  };
}
