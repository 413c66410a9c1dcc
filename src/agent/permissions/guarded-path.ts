import type { Rule } from "./rule.js";

/**
 * Files that other programs on this machine execute without being asked to: when a folder is opened or entered, or on a commit. Those
 * of git are apart: a repository may be created as long as it is harmless.
 */
const NAMES_RUN_HERE = [
  // Hooks of commits.
  "lefthook[^/]*\\.(?:ya?ml|toml|json)|\\.lefthook[^/]*|\\.pre-commit-config\\.ya?ml|\\.?simple-git-hooks\\.[^/]*|\\.overcommit\\.yml|\\.hgrc|\\.gitconfig",
  // Shells, and what changes their environment when a folder is entered.
  "\\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|envrc)|\\.?(?:mise|rtx)(?:\\.[^/]*)?\\.toml",
  // Editors and debuggers.
  "\\.gdbinit|\\.lldbinit|\\.(?:exrc|vimrc|gvimrc|nvimrc|nvim\\.lua|emacs|dir-locals\\.el|devcontainer\\.json)|[^/]*\\.code-workspace",
  // Claude Code.
  "\\.mcp\\.json",
];
const FOLDERS_RUN_HERE =
  "\\.husky|\\.githooks|\\.git-hooks|\\.vscode|\\.idea|\\.zed|\\.fleet|\\.devcontainer|\\.vim|\\.nvim|\\.emacs\\.d|\\.mise|\\.config/mise|\\.claude/(?:hooks|agents|commands|skills)";
const SETTINGS_RUN_HERE = "\\.claude/settings[^/]*\\.json|\\.hg/hgrc|mise/config[^/]*\\.toml";

const RUN_HERE = `/(?:${NAMES_RUN_HERE.join("|")}|${SETTINGS_RUN_HERE})$|/(?:${FOLDERS_RUN_HERE})(?:/|$)`;

/**
 * Those that run elsewhere or with a command of the person are guarded too. Build files such as package.json and Makefile are not
 * among them: they run only by a command, and that is judged itself.
 */
const OTHER_NAMES = [
  // Git. A `HEAD` turns its folder into a repository, and a repository's configuration can contain commands.
  "HEAD|\\.git|\\.gitmodules",
  // Package managers: programs that they run in place of the usual ones.
  "\\.(?:npmrc|yarnrc|yarnrc\\.yml|pnpmfile\\.cjs)",
  // CI services.
  "\\.gitlab-ci\\.yml|\\.woodpecker\\.ya?ml|\\.cirrus\\.(?:ya?ml|star)|\\.travis\\.yml|\\.drone\\.yml|\\.appveyor\\.yml|appveyor\\.yml|azure-pipelines\\.yml|bitbucket-pipelines\\.yml|cloudbuild\\.yaml|jenkinsfile",
];
const OTHER_FOLDERS =
  "\\.git|\\.hg|\\.jj|\\.svn|mise|\\.(?:github|gitea|forgejo)/(?:workflows|actions)|\\.circleci|\\.buildkite|\\.woodpecker|\\.cargo";

const GUARDED = new RegExp(`${RUN_HERE}|/(?:${OTHER_NAMES.join("|")})$|/(?:${OTHER_FOLDERS})(?:/|$)`, "i");
const GUARDED_HERE = new RegExp(RUN_HERE, "i");

/** Whether another program on this machine would run it by itself. */
export function isRunHere(path: string): boolean {
  return GUARDED_HERE.test(path.replaceAll("\\", "/"));
}

/** Files through which a model could extend its permissions or run code later. Case is ignored: some file systems do too. */
export function isGuarded(path: string): boolean {
  return GUARDED.test(path.replaceAll("\\", "/"));
}

/** Only a rule that names a guarded file applies to it. */
export function namesGuarded({ spec }: Rule): boolean {
  return spec !== undefined && isGuarded(`/${spec}`);
}
