import { appendFileSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { copyOf, makeFolder, set, write } from "./make-repository.js";

/** A folder that makes plain git run `program`, or lets it read elsewhere. */
export interface HostileFolder {
  readonly name: string;
  /** `program` leaves a marker and prints something. */
  build(repository: string, program: string): void;
  /** Where git is run, below the repository. */
  readonly cwd?: string;
}

export const HOSTILE_CONFIG = (program: string) => `[core]\n\tfsmonitor = ${program}\n`;

/** A bare repository in a folder of the work tree. */
function embed(folder: string, program: string): void {
  mkdirSync(join(folder, "objects"), { recursive: true });
  mkdirSync(join(folder, "refs"), { recursive: true });
  write(folder, "config", `[core]\n\tworktree = .\n\tbare = false\n\tfsmonitor = ${program}\n`);
}

const refused = (name: string, build: HostileFolder["build"], cwd = "."): HostileFolder => ({
  name,
  build,
  cwd,
});

const moveAside = (repository: string, name: string) => {
  renameSync(join(repository, ".git", name), join(repository, `${name}-elsewhere`));
  return join(repository, `${name}-elsewhere`);
};

/** Git must not be run in these without a question. */
export const REFUSED_FOLDERS: readonly HostileFolder[] = [
  refused(".git is a file", (repository, program) => {
    renameSync(join(repository, ".git"), join(repository, "evil"));
    write(repository, ".git", "gitdir: evil\n");
    appendFileSync(join(repository, "evil/config"), HOSTILE_CONFIG(program));
  }),
  refused(".git is a link", (repository, program) => {
    renameSync(join(repository, ".git"), join(repository, "evil"));
    symlinkSync("evil", join(repository, ".git"));
    appendFileSync(join(repository, "evil/config"), HOSTILE_CONFIG(program));
  }),
  refused(
    "an embedded repository whose HEAD is a link to nothing",
    (repository, program) => {
      embed(join(repository, "pages"), program);
      symlinkSync("refs/heads/none", join(repository, "pages/HEAD"));
    },
    "pages",
  ),
  refused(
    "an embedded repository above the working directory",
    (repository, program) => {
      embed(join(repository, "pages"), program);
      write(join(repository, "pages"), "HEAD", "ref: refs/heads/main\n");
      mkdirSync(join(repository, "pages/deep/er"), { recursive: true });
    },
    "pages/deep/er",
  ),
  refused(
    "an empty .git beside an embedded repository",
    (repository, program) => {
      embed(join(repository, "pages"), program);
      write(join(repository, "pages"), "HEAD", "ref: refs/heads/main\n");
      mkdirSync(join(repository, "pages/.git"));
    },
    "pages",
  ),
  refused("a bare repository that says so", (repository, program) => {
    set(repository, ["core.bare", "true"]);
    appendFileSync(join(repository, ".git/config"), HOSTILE_CONFIG(program));
  }),
  refused("a work tree elsewhere", (repository, program) =>
    set(repository, ["core.worktree", makeFolder()], ["core.fsmonitor", program]),
  ),
  refused("a common directory elsewhere", (repository, program) => {
    const other = copyOf(repository);
    set(other, ["core.fsmonitor", program]);
    write(repository, ".git/commondir", `${other}/.git\n`);
  }),
  refused("objects of another repository by alternates", (repository) =>
    write(repository, ".git/objects/info/alternates", `${copyOf(repository)}/.git/objects\n`),
  ),
  refused("objects that are a link", (repository) =>
    symlinkSync(moveAside(repository, "objects"), join(repository, ".git/objects")),
  ),
  refused("a pack that is a link", (repository) =>
    symlinkSync("/etc/hostname", join(repository, ".git/objects/pack/pack-1.pack")),
  ),
  refused("refs that are a link", (repository) =>
    symlinkSync(moveAside(repository, "refs"), join(repository, ".git/refs")),
  ),
  refused("a ref that is a link", (repository) =>
    symlinkSync("/etc/hostname", join(repository, ".git/refs/heads/other")),
  ),
  refused("a HEAD that is a link", (repository) =>
    symlinkSync(moveAside(repository, "HEAD"), join(repository, ".git/HEAD")),
  ),
  refused("an index that is a link", (repository) =>
    symlinkSync(moveAside(repository, "index"), join(repository, ".git/index")),
  ),
  refused("logs that are a link", (repository) =>
    symlinkSync(moveAside(repository, "logs"), join(repository, ".git/logs")),
  ),
  refused("an extension that is not known", (repository) =>
    set(repository, ["core.repositoryformatversion", "1"], ["extensions.evil", "true"]),
  ),
];
