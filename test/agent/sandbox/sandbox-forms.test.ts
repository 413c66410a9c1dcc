import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { bwrapArguments } from "../../../src/agent/sandbox/bubblewrap.js";
import { planSandbox, type SandboxPlan } from "../../../src/agent/sandbox/plan-sandbox.js";
import { seatbeltProfile } from "../../../src/agent/sandbox/seatbelt.js";
import { surveyTraps } from "../../../src/agent/sandbox/survey-traps.js";
import { makeFolder } from "../git/make-repository.js";

const PLAN: SandboxPlan = {
  emptied: ["/home/ann"],
  temporary: ["/tmp"],
  privateTemporary: "/tmp/turnlog-sandbox",
  readable: ["/home/ann/.nvm"],
  writable: ['/home/ann/pro"ject'],
  pinned: ['/home/ann/pro"ject/.git'],
  readOnly: ['/home/ann/pro"ject/.git/config'],
  hidden: [
    { path: "/home/ann/.ssh", isFolder: true },
    { path: "/home/ann/.netrc", isFolder: false },
  ],
  allowsNetwork: false,
  allowsUnixSockets: false,
};
const THIS = { cwd: "/home/ann/project/src", folders: ["/tmp/notes"], filter: 9 };

describe("the arguments of bubblewrap", () => {
  test("name what is readable after what is emptied, and what is hidden after all of it", () => {
    expect(bwrapArguments(PLAN, THIS).join(" ")).toBe(
      [
        "--die-with-parent --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --cap-drop ALL",
        "--seccomp 9 --ro-bind / / --dev /dev --proc /proc --remount-ro /proc --tmpfs /home/ann --bind /tmp/turnlog-sandbox /tmp",
        "--ro-bind /home/ann/.nvm /home/ann/.nvm",
        '--bind /home/ann/pro"ject /home/ann/pro"ject',
        '--bind-try /home/ann/pro"ject/.git /home/ann/pro"ject/.git',
        '--ro-bind-try /home/ann/pro"ject/.git/config /home/ann/pro"ject/.git/config',
        "--tmpfs /home/ann/.ssh --ro-bind /dev/null /home/ann/.netrc",
        "--bind /tmp/notes /tmp/notes --chdir /home/ann/project/src",
      ].join(" "),
    );
  });

  test("share the network only if it is allowed", () => {
    expect(bwrapArguments({ ...PLAN, allowsNetwork: true }, THIS)).not.toContain("--unshare-net");
  });
});

describe("the profile for Seatbelt", () => {
  test("denies writing, then allows it in the project, then denies what other programs run and what is hidden", () => {
    expect(seatbeltProfile(PLAN, ["/tmp/notes"])).toBe(`(version 1)
(allow default)
(deny file-write*)
(deny file-read-data (subpath "/home/ann"))
(allow file-read* (subpath "/home/ann/.nvm") (subpath "/home/ann/pro\\"ject") (subpath "/tmp") (subpath "/tmp/turnlog-sandbox") (subpath "/tmp/notes"))
(allow file-write* (subpath "/home/ann/pro\\"ject") (subpath "/tmp") (subpath "/tmp/turnlog-sandbox") (subpath "/tmp/notes"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/dtracehelper") (subpath "/dev/fd"))
(deny file-write* (subpath "/home/ann/pro\\"ject/.git/config"))
(deny file-write* (literal "/home/ann/pro\\"ject/.git") (literal "/home/ann/pro\\"ject/.git/commondir"))
(deny file-read* file-write* (subpath "/home/ann/.ssh") (subpath "/home/ann/.netrc"))
(deny network*)
(deny process-info* (target others))
(deny sysctl-read (sysctl-name-prefix "kern.procargs"))
(deny signal (target others))
(allow signal (target same-sandbox))
(deny appleevent-send)
(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd") (global-name "com.apple.securityd.xpc") (global-name "com.apple.coreservices.launchservicesd") (global-name "com.apple.pasteboard.1"))
`);
  });

  test("leaves the network alone if it is allowed, and Unix sockets too", () => {
    const open = { ...PLAN, allowsNetwork: true, allowsUnixSockets: true };
    expect(seatbeltProfile(open, [])).not.toContain("network");
  });

  test("denies Unix sockets where only the network is allowed, except for looking up names", () => {
    const profile = seatbeltProfile({ ...PLAN, allowsNetwork: true }, []);
    expect(profile.split("\n").filter((line) => line.includes("network"))).toEqual([
      '(deny network* (subpath "/"))',
      '(allow network* (literal "/private/var/run/mDNSResponder"))',
    ]);
    expect(seatbeltProfile({ ...PLAN, allowsUnixSockets: true }, [])).toContain(
      '(deny network*)\n(allow network* (subpath "/"))\n',
    );
  });
});

function put(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
}

describe("the plan of a sandbox", () => {
  const planFor = (home: string, project: string) => {
    const places = { configRoot: join(home, ".claude"), dataDir: join(home, "data"), privateTemporary: "/tmp" };
    const wishes = { allowsNetwork: false, readable: [] };
    const plan = planSandbox({ roots: [project], home, ...places }, wishes, surveyTraps([project]));
    // What root alone may read differs between systems.
    return { ...plan, hidden: plan.hidden.filter(({ path }) => path.startsWith(home)) };
  };

  test("hides keys also where the project is the home folder itself", () => {
    const home = makeFolder();
    for (const name of [".ssh", ".claude", "data"]) mkdirSync(join(home, name));
    writeFileSync(join(home, ".netrc"), "");
    expect(planFor(home, home).hidden).toEqual([
      { path: join(home, ".ssh"), isFolder: true },
      { path: join(home, ".netrc"), isFolder: false },
      { path: join(home, ".claude"), isFolder: true },
      { path: join(home, "data"), isFolder: true },
    ]);
  });

  test("shows a project inside of Claude Code's folder, without the credentials there", () => {
    const home = makeFolder();
    const project = join(home, ".claude/skills");
    mkdirSync(project, { recursive: true });
    writeFileSync(join(home, ".claude/.credentials.json"), "");
    const { hidden, writable } = planFor(home, project);
    expect(writable).toEqual([project]);
    expect(hidden).toEqual([{ path: join(home, ".claude/.credentials.json"), isFolder: false }]);
  });

  test("protects what links lead to, and a .git that is a file", () => {
    const home = makeFolder();
    const project = join(home, "project");
    mkdirSync(join(project, "hooks"), { recursive: true });
    symlinkSync("hooks", join(project, ".husky"));
    writeFileSync(join(project, ".git"), "gitdir: elsewhere");
    const { readOnly, pinned } = planFor(home, project);
    expect(readOnly).toEqual([join(project, "hooks"), join(project, ".git")]);
    expect(pinned).toEqual([]);
  });

  test("shows nothing of the home folder because a link of the project leads there", () => {
    const home = makeFolder();
    const project = join(home, "project");
    mkdirSync(project);
    writeFileSync(join(home, "private.txt"), "");
    symlinkSync("../private.txt", join(project, ".envrc"));
    expect(planFor(home, project).readOnly).toEqual([]);
  });

  test("protects files that are run, and repositories, wherever they are in the project", () => {
    const project = makeFolder();
    for (const path of ["a/b/.envrc", "a/.vscode/tasks.json", "a/repo/.git/config", "bare/HEAD", "bare/config"])
      put(join(project, path));
    for (const path of ["bare/objects", "bare/refs", "node_modules/c"])
      mkdirSync(join(project, path), { recursive: true });
    put(join(project, "node_modules/c/.envrc"));
    const { readOnly, pinned } = planFor(join(project, "none"), project);
    const names = (paths: readonly string[]) => paths.map((path) => path.slice(project.length + 1)).sort();
    expect(names(readOnly)).toEqual(["a/.vscode", "a/b/.envrc", "a/repo/.git/config", "bare/config"]);
    expect(names(pinned)).toEqual(["a/repo/.git", "bare"]);
  });
});
