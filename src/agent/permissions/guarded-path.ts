import type { Rule } from "./rule.js";

/**
 * Files that other programs execute without being asked to: when a folder is opened or entered, on a commit, by a push. Build files
 * such as package.json and Makefile are not among them: they run only by a command, and that is judged itself.
 */
const GUARDED_NAMES = [
  // Git. A `HEAD` turns its folder into a repository, and a repository's configuration can contain commands.
  "HEAD|\\.git|\\.gitmodules|\\.gitconfig",
  // Hooks of commits.
  "lefthook[^/]*\\.(?:ya?ml|toml|json)|\\.lefthook[^/]*|\\.pre-commit-config\\.ya?ml|\\.?simple-git-hooks\\.[^/]*|\\.overcommit\\.yml|\\.hgrc",
  // Shells, and what changes their environment when a folder is entered.
  "\\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|envrc)|\\.?(?:mise|rtx)(?:\\.[^/]*)?\\.toml",
  // Editors and debuggers.
  "\\.gdbinit|\\.lldbinit|\\.(?:exrc|vimrc|gvimrc|nvimrc|nvim\\.lua|emacs|dir-locals\\.el|devcontainer\\.json)|[^/]*\\.code-workspace",
  // Package managers: programs that they run in place of the usual ones.
  "\\.(?:npmrc|yarnrc|yarnrc\\.yml|pnpmfile\\.cjs)",
  // CI services.
  "\\.gitlab-ci\\.yml|\\.woodpecker\\.ya?ml|\\.cirrus\\.(?:ya?ml|star)|\\.travis\\.yml|\\.drone\\.yml|\\.appveyor\\.yml|appveyor\\.yml|azure-pipelines\\.yml|bitbucket-pipelines\\.yml|cloudbuild\\.yaml|jenkinsfile",
  // Claude Code.
  "\\.mcp\\.json",
];
const GUARDED_FOLDERS =
  "\\.git|\\.husky|\\.githooks|\\.git-hooks|\\.vscode|\\.idea|\\.zed|\\.fleet|\\.devcontainer|\\.vim|\\.nvim|\\.emacs\\.d|\\.hg|\\.jj|\\.svn|\\.?mise|\\.config/mise|\\.(?:github|gitea|forgejo)/(?:workflows|actions)|\\.circleci|\\.buildkite|\\.woodpecker|\\.cargo|\\.claude/(?:hooks|agents|commands|skills)";

const GUARDED = new RegExp(
  `/(?:${GUARDED_NAMES.join("|")})$|/(?:${GUARDED_FOLDERS})(?:/|$)|/\\.claude/settings[^/]*\\.json$`,
  "i",
);

/** Files through which a model could extend its permissions or run code later. Case is ignored: some file systems do too. */
export function isGuarded(path: string): boolean {
  return GUARDED.test(path.replaceAll("\\", "/"));
}

/** Only a rule that names a guarded file applies to it. */
export function namesGuarded({ spec }: Rule): boolean {
  return spec !== undefined && isGuarded(`/${spec}`);
}
