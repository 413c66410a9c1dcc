import type { Rule } from "./rule.js";

/*
 * Files that other programs execute without being asked to, or by a command of the person that does not name them. Build files such as
 * package.json, Makefile, conftest.py and the settings of linters are not among them: they run only by a command that means them, and
 * that is judged itself. Neither is .gitattributes: it can only choose among programs that the person has configured.
 */

/** On this machine: when a folder is opened or entered, or on a commit. Those of git are apart: a new repository may be harmless. */
const NAMES_RUN_HERE = [
  // Hooks of commits.
  "\\.?lefthook(?:-local)?\\.(?:ya?ml|toml|json)|\\.pre-commit-config\\.ya?ml|prek\\.toml|\\.?simple-git-hooks\\.[^/]*|\\.overcommit\\.yml|\\.?captainhook\\.json|grumphp\\.ya?ml",
  "\\.lintstagedrc[^/]*|lint-staged\\.config\\.[^/]*|\\.huskyrc[^/]*|husky\\.config\\.[^/]*|\\.commitlintrc[^/]*|commitlint\\.config\\.[^/]*",
  "\\.hgrc|\\.gitconfig[^/]*",
  // Shells, and what changes their environment when a folder is entered.
  "\\.(?:bashrc|bash_[^/]*|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|mkshrc|cshrc|tcshrc|login|inputrc|envrc|autoenv[^/]*|env\\.zsh)",
  "\\.?(?:mise|rtx)(?:\\.[^/]*)?\\.toml|\\.tool-versions|(?:shell|flake|devenv)\\.nix|devbox\\.json",
  // Editors and debuggers.
  "\\.gdb(?:early)?init|\\.lldbinit|[^/]*-gdb\\.(?:gdb|py|scm)|\\.pdbrc(?:\\.py)?|[._](?:exrc|vimrc|gvimrc|nvimrc|lvimrc|nvim\\.lua)|\\.emacs",
  "\\.dir-locals(?:-2)?\\.el|\\.devcontainer\\.json|[^/]*\\.code-workspace|[^/]*\\.sublime-project|\\.gitpod\\.(?:yml|dockerfile)",
  // Interpreters, wherever they are started.
  "\\.Rprofile|\\.Renviron|\\.RData|(?:site|user)customize\\.py|\\.pythonrc(?:\\.py)?|\\.irbrc|\\.pryrc|\\.psqlrc|\\.sqliterc",
  // Agents.
  "\\.mcp\\.json|opencode\\.jsonc?|\\.?crush\\.json|\\.aider\\.conf\\.yml",
];
const FOLDERS_RUN_HERE = [
  "\\.husky|\\.githooks|\\.git-hooks|\\.vscode|\\.vs|\\.idea|\\.run|\\.zed|\\.fleet|\\.helix|\\.nova|\\.bsp|\\.devcontainer|\\.externalToolBuilders",
  "\\.vim|\\.nvim|\\.emacs\\.d|\\.mise|\\.config/mise|\\.claude/(?:hooks|agents|commands|skills|plugins)|\\.idx",
];
const SETTINGS_RUN_HERE =
  "\\.claude/settings[^/]*\\.json|\\.hg/hgrc|mise/config[^/]*\\.toml|\\.cursor/(?:mcp|hooks|environment)\\.json|\\.gemini/settings\\.json|\\.codex/[^/]*\\.toml";

const RUN_HERE = `/(?:${NAMES_RUN_HERE.join("|")}|${SETTINGS_RUN_HERE})$|/(?:${FOLDERS_RUN_HERE.join("|")})(?:/|$)`;

/** Those that run elsewhere, or with any command of a program that the person has, are guarded too. */
const OTHER_NAMES = [
  // Git. A `HEAD` turns its folder into a repository, and a repository's configuration can contain commands.
  "HEAD|\\.git|\\.gitmodules",
  // Package managers and build tools: programs and options that they take in place of the usual ones.
  "\\.(?:npmrc|yarnrc|yarnrc\\.yml|pnpmfile\\.[cm]?js)|pnpmfile\\.[cm]?js|\\.?bunfig\\.toml|\\.gemrc|\\.bazelrc|\\.bazeliskrc|\\.buckconfig[^/]*|\\.sbtopts|\\.jvmopts|rust-toolchain(?:\\.toml)?",
  // CI services.
  "[^/]*\\.gitlab-ci\\.ya?ml|\\.woodpecker[^/]*|\\.cirrus\\.(?:ya?ml|star)|\\.travis\\.ya?ml|\\.drone\\.[^/]*|\\.?appveyor\\.ya?ml|azure-pipelines[^/]*\\.ya?ml|bitbucket-pipelines\\.ya?ml|cloudbuild\\.ya?ml|buildspec\\.ya?ml|jenkinsfile[^/]*|action\\.ya?ml|codemagic\\.yaml|bitrise\\.ya?ml|\\.?zuul\\.ya?ml|\\.prow\\.yaml|\\.taskcluster\\.yml|\\.build\\.yml|\\.screwdriver\\.yaml|\\.readthedocs\\.ya?ml",
  // Web servers that look for them in each folder.
  "\\.htaccess|\\.user\\.ini",
];
const OTHER_FOLDERS = [
  "\\.git|\\.hg|\\.jj|\\.svn|\\.bzr|\\.sl|mise|\\.direnv",
  "\\.(?:github|gitea|forgejo)/(?:workflows|actions)|\\.gitlab|\\.circleci|\\.buildkite|\\.woodpecker|\\.semaphore|\\.teamcity|\\.harness|\\.tekton|\\.azure-pipelines|\\.builds|\\.zuul\\.d",
  "\\.cargo|\\.mvn|\\.bundle|gradle/wrapper|\\.yarn/(?:plugins|releases|sdks)|\\.gradle/init\\.d",
  // Agents, and what the person logs in with.
  "\\.(?:claude|cursor|codex)(?!/worktrees(?:/|$))|\\.gemini|\\.windsurf|\\.continue|\\.roo|\\.kiro|\\.opencode|\\.qwen|\\.amazonq|\\.ssh|\\.gnupg|\\.aws|\\.kube",
];

const GUARDED = new RegExp(`${RUN_HERE}|/(?:${OTHER_NAMES.join("|")})$|/(?:${OTHER_FOLDERS.join("|")})(?:/|$)`, "iu");
const GUARDED_HERE = new RegExp(RUN_HERE, "iu");

/** Whether another program on this machine would run it by itself. */
export function isRunHere(path: string): boolean {
  return GUARDED_HERE.test(plain(path));
}

/** Files through which a model could extend its permissions or run code later. Case is ignored: some file systems do too. */
export function isGuarded(path: string): boolean {
  return GUARDED.test(plain(path));
}

export function describeGuarded(path: string): string {
  return `${path} can make another program run code, such as git, a shell, an editor or CI`;
}

/** As file systems compare names: some ignore characters without a width, and take composed and decomposed letters for the same. */
function plain(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC");
}

/** Only a rule that names a guarded file applies to it. */
export function namesGuarded({ spec }: Rule): boolean {
  return spec !== undefined && isGuarded(`/${spec}`);
}
