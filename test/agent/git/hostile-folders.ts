import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { git, type Setting, set, write } from "./make-repository.js";
import { HOSTILE_CONFIG, type HostileFolder } from "./refused-folders.js";

const HOOKS = ["post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc", "post-checkout"];

/** A folder with settings whose value is the program. */
const byConfig = (name: string, ...settings: readonly (string | Setting)[]): HostileFolder => ({
  name,
  build: (repository, program) =>
    set(repository, ...settings.map((it): Setting => (typeof it === "string" ? [it, program] : [it[0], it[1]]))),
});

/** The commit at HEAD is missing a blob that git would fetch. */
const lazyFetch = (name: string, settings: (program: string) => readonly Setting[]): HostileFolder => ({
  name,
  build(repository, program) {
    const blob = git(repository, "rev-parse", "HEAD~1:a.txt").trim();
    rmSync(join(repository, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    set(
      repository,
      ["core.repositoryformatversion", "1"],
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ...settings(program),
    );
  },
});

const signed = (
  name: string,
  header: string,
  settings: readonly string[],
  more: readonly Setting[],
): HostileFolder => ({
  name,
  build(repository, program) {
    const commit = git(repository, "cat-file", "-p", "HEAD");
    const text = commit.replace("\n\n", `\ngpgsig -----BEGIN ${header}-----\n \n AAAA\n -----END ${header}-----\n\n`);
    write(repository, ".git/signed", text);
    const id = git(repository, "hash-object", "-t", "commit", "-w", ".git/signed").trim();
    git(repository, "update-ref", "HEAD", id);
    set(repository, ["log.showSignature", "true"], ...settings.map((it): Setting => [it, program]), ...more);
  },
});

/** A submodule whose own configuration is hostile; `isAbsorbed`: its git directory is in `.git/modules`. */
const submodule = (name: string, isAbsorbed: boolean, gitmodules: string): HostileFolder => ({
  name,
  build(repository, program) {
    const sub = join(repository, "sub");
    mkdirSync(sub);
    git(sub, "init", "--quiet");
    write(sub, "s.txt", "s\n");
    git(sub, "add", ".");
    git(sub, "commit", "--quiet", "--message", "Sub");
    set(sub, ["core.fsmonitor", program]);
    write(repository, ".gitmodules", `[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n${gitmodules}`);
    git(repository, "update-index", "--add", "--cacheinfo", `160000,${git(sub, "rev-parse", "HEAD").trim()},sub`);
    set(repository, ["submodule.sub.active", "true"], ["submodule.recurse", "true"], ["diff.submodule", "log"]);
    write(sub, "s.txt", "changed\n");
    if (!isAbsorbed) return;
    mkdirSync(join(repository, ".git/modules"));
    renameSync(join(sub, ".git"), join(repository, ".git/modules/sub"));
    write(sub, ".git", "gitdir: ../.git/modules/sub\n");
    set(sub, ["core.worktree", "../../../sub"]);
  },
});

export const HOSTILE_FOLDERS: readonly HostileFolder[] = [
  byConfig("fsmonitor", "core.fsmonitor"),
  byConfig("fsmonitor, version 1", "core.fsmonitor", ["core.fsmonitorHookVersion", "1"]),
  byConfig("pager", "core.pager"),
  byConfig("pager of sub-commands", "pager.status", "pager.log", "pager.diff", "pager.branch", "pager.show"),
  byConfig("external diff", "diff.external"),
  byConfig("diff driver", "diff.x.command"),
  byConfig("textconv", "diff.x.textconv", ["diff.x.cachetextconv", "true"]),
  byConfig("clean filter", "filter.x.clean"),
  byConfig("smudge filter", "filter.x.smudge", ["filter.x.required", "true"]),
  byConfig("filter process", "filter.x.process"),
  byConfig("merge driver and tools", "merge.x.driver", "mergetool.x.cmd", "difftool.x.cmd", ["diff.tool", "x"]),
  byConfig("editors", "core.editor", "sequence.editor"),
  byConfig("diff filter of add", "interactive.diffFilter"),
  byConfig("trailer command", "trailer.x.command", "trailer.x.cmd"),
  byConfig("archive command", "tar.tgz.command"),
  byConfig("browser and man", "browser.x.cmd", "man.x.cmd", ["help.browser", "x"], ["man.viewer", "x"]),
  byConfig("alternate refs command", "core.alternateRefsCommand"),
  byConfig("pack objects hook", "uploadpack.packObjectsHook"),
  byConfig("recent objects hook", "gc.recentObjectsHook", ["gc.auto", "1"]),
  byConfig("proxy", "core.gitProxy"),
  {
    name: "alias",
    build: (repository, program) => set(repository, ["alias.st", `!${program}`], ["alias.lg", `!${program} log`]),
  },
  { name: "alias of a built-in", build: (repository, program) => set(repository, ["alias.status", `!${program}`]) },
  signed("gpg program", "PGP SIGNATURE", ["gpg.program"], []),
  signed("ssh signature program", "SSH SIGNATURE", ["gpg.ssh.program"], [["gpg.ssh.allowedSignersFile", "/dev/null"]]),
  signed("x509 signature program", "SIGNED MESSAGE", ["gpg.x509.program"], []),
  lazyFetch("lazy fetch over ssh", (program) => [
    ["core.sshCommand", program],
    ["remote.origin.url", "ssh://127.0.0.1:1/x"],
  ]),
  lazyFetch("lazy fetch by a transport that is a program", (program) => [
    ["remote.origin.url", `ext::${program} x`],
    ["protocol.ext.allow", "always"],
  ]),
  lazyFetch("lazy fetch from a local upload-pack", (program) => [
    ["remote.origin.uploadpack", program],
    ["remote.origin.url", "/"],
  ]),
  lazyFetch("lazy fetch with credentials", (program) => [
    ["credential.helper", `!${program}`],
    ["core.askPass", program],
    ["remote.origin.url", "http://127.0.0.1:1/x"],
  ]),
  {
    name: "hooks path",
    build(repository, program) {
      for (const hook of HOOKS) write(repository, `hooks/${hook}`, `#!/bin/sh\nexec ${program}\n`, 0o755);
      set(repository, ["core.hooksPath", "hooks"], ["core.fsmonitor", "hooks/fsmonitor-watchman"]);
    },
  },
  {
    name: "hooks",
    build(repository, program) {
      for (const hook of HOOKS) write(repository, `.git/hooks/${hook}`, `#!/bin/sh\nexec ${program}\n`, 0o755);
    },
  },
  {
    name: "filter by info/attributes",
    build(repository, program) {
      write(repository, ".git/info/attributes", "* filter=y diff=y\n");
      set(repository, ["filter.y.clean", program], ["diff.y.textconv", program]);
    },
  },
  {
    name: "filter by an attributes file",
    build(repository, program) {
      write(repository, "attributes", "* filter=y diff=y\n");
      set(repository, ["core.attributesFile", join(repository, "attributes")], ["filter.y.clean", program]);
    },
  },
  {
    name: "included configuration",
    build(repository, program) {
      write(repository, "evil.config", HOSTILE_CONFIG(program));
      set(repository, ["include.path", "../evil.config"]);
    },
  },
  {
    name: "conditionally included configuration",
    build(repository, program) {
      write(repository, "evil.config", HOSTILE_CONFIG(program));
      set(
        repository,
        ["includeIf.gitdir:/.path", "../evil.config"],
        ["includeIf.onbranch:main.path", "../evil.config"],
      );
    },
  },
  {
    name: "worktree configuration",
    build(repository, program) {
      set(repository, ["core.repositoryformatversion", "1"], ["extensions.worktreeConfig", "true"]);
      write(repository, ".git/config.worktree", HOSTILE_CONFIG(program));
    },
  },
  submodule("submodule", false, ""),
  submodule("submodule that wants to be looked at", false, "\tignore = none\n"),
  submodule("absorbed submodule", true, "\tignore = none\n"),
  {
    name: "submodule update command",
    build(repository, program) {
      write(repository, ".gitmodules", `[submodule "s"]\n\tpath = s\n\turl = ./s\n\tupdate = !${program}\n`);
      set(repository, ["submodule.s.update", `!${program}`]);
    },
  },
  {
    name: "nested repository that is not tracked",
    build(repository, program) {
      cpSync(join(repository, ".git"), join(repository, "nested/.git"), { recursive: true });
      appendFileSync(join(repository, "nested/.git/config"), HOSTILE_CONFIG(program));
    },
  },
  {
    name: "replaced commit with a filter",
    build(repository, program) {
      git(repository, "replace", "HEAD", "HEAD~1");
      set(repository, ["filter.x.clean", program]);
    },
  },
  {
    name: "split index with fsmonitor",
    build(repository, program) {
      git(repository, "update-index", "--split-index");
      set(repository, ["core.fsmonitor", program], ["core.splitIndex", "true"]);
    },
  },
  {
    name: "index with fsmonitor and untracked cache",
    build(repository, program) {
      set(repository, ["core.fsmonitor", program]);
      git(repository, "update-index", "--fsmonitor", "--force-untracked-cache");
      git(repository, "status");
    },
  },
  {
    name: "grafts and fsmonitor",
    build(repository, program) {
      write(repository, ".git/info/grafts", `${git(repository, "rev-parse", "HEAD").trim()}\n`);
      set(repository, ["core.fsmonitor", program]);
    },
  },
  {
    name: "values that would break out of a copied setting",
    build(repository, program) {
      const smuggled = `x"]\n[core]\n\tfsmonitor = ${program}\n[branch "y`;
      set(repository, ["branch.main.remote", `origin\n[core]\n\tfsmonitor = ${program}`], [`core.eol`, `lf`]);
      appendFileSync(
        join(repository, ".git/config"),
        `[branch "a\\"]\\n[core]\\nfsmonitor=${program}"]\n\tremote = origin\n[core]\n\tautocrlf = "input\\n\\tfsmonitor = ${program}"\n`,
      );
      set(repository, ["remote.origin.url", smuggled], ["remote.origin.fetch", smuggled], ["core.fsmonitor", program]);
    },
  },
  {
    name: "executable files named like git's own programs",
    build(repository, program) {
      for (const name of ["git", "git-st", "git-lg", "less", "sh", "cat"])
        write(repository, name, `#!/bin/bash\nexec ${program}\n`, 0o755);
      set(repository, ["core.fsmonitor", program]);
    },
  },
];

/** The sub-commands that read, with the options that a person uses; `st` and `lg` are aliases where there are any. */
export const READING: readonly string[] = [
  "status",
  "status --short --branch --ignored",
  "st",
  "lg",
  "log",
  "log -p --stat",
  "log --show-signature -1",
  "log --format=%G? -1",
  "diff",
  "diff HEAD",
  "diff --cached --stat",
  "diff-index -p HEAD",
  "diff-files -p",
  "show",
  "show HEAD:a.txt",
  "show HEAD~1:a.txt",
  "show v1",
  "blame a.txt",
  "blame b.x",
  "branch -vv -a",
  "tag -l -n",
  "ls-files -s",
  "ls-files -m -o --exclude-standard",
  "ls-tree -r HEAD",
  "rev-parse HEAD",
  "rev-parse --show-toplevel",
  "rev-list --count HEAD",
  "describe --always --dirty",
  "shortlog -s HEAD",
  "grep -n o",
  "stash list",
  "stash show",
  "reflog",
  "for-each-ref",
  "show-ref",
  "name-rev HEAD",
  "merge-base HEAD HEAD~1",
  "cat-file -p HEAD",
  "cat-file -p HEAD~1:a.txt",
  "remote -v",
  "check-ignore new.x",
  "whatchanged -1",
];
