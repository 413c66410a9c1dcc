import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { openShadowGit } from "../../../src/agent/git/shadow-git.js";
import type { Judgement } from "../../../src/agent/permissions/judgement.js";
import type { Place } from "../chat-world.js";

/** Without strace only the files of the project and what is printed are watched. */
export const hasStrace = spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", "true"]).status === 0;

export interface Watched {
  readonly stdout: string;
  readonly status: number | null;
  /** What it did beyond reading in the project. */
  readonly offences: readonly string[];
}

const CALLS =
  "open,openat,openat2,creat,execve,execveat,connect,bind,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,truncate,ftruncate,chmod,fchmod,fchmodat,chown,lchown,fchownat,mknod,mknodat,utimensat,setxattr,mount,kill,sethostname,clock_settime,settimeofday";

/** Runs a command in the project as the Bash tool would, and tells what it did. */
export function watchCommand(
  command: string,
  judgement: Pick<Judgement, "git">,
  place: Place,
  isTraced = hasStrace,
): Watched {
  const notes = mkdtempSync(join(tmpdir(), "watch-"));
  const log = join(notes, "log");
  const base: NodeJS.ProcessEnv = {
    PATH: `${dirname(rgPath)}:${process.env["PATH"]}`,
    HOME: place.home,
    LC_ALL: "C",
    SECRET: "of-the-environment",
  };
  const shadow = judgement.git === "shadow" ? openShadowGit(place.project) : undefined;
  const env = shadow?.environment(base) ?? base;
  const before = snapshot(place.home);
  try {
    const strace = ["strace", "-ff", "-qq", "-y", "-s", "300", "-e", `trace=${CALLS}`, "-e", "signal=none", "-o", log];
    const [program = "", ...args] = [
      ...(isTraced ? strace : []),
      "timeout",
      "5",
      "bash",
      "-c",
      'eval "$1"',
      "bash",
      command,
    ];
    const { stdout, status } = spawnSync(program, args, {
      cwd: place.project,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64 * 1024 * 1024,
    });
    const gitFolder = env["GIT_DIR"] === undefined ? [] : [dirname(env["GIT_DIR"])];
    const offences = isTraced ? findOffences(readLogs(notes), [place.project, ...gitFolder], command) : [];
    const changed = snapshot(place.home) === before ? [] : ["it changed files"];
    const leaked = /hidden words|of-the-environment/.test(stdout) ? ["it printed what is outside"] : [];
    return { stdout, status, offences: [...offences, ...changed, ...leaked] };
  } finally {
    shadow?.close();
    rmSync(notes, { recursive: true });
  }
}

/** One for each process. */
function readLogs(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

/** Names, kinds, sizes and times of all files. */
function snapshot(folder: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
  return names
    .sort()
    .map((path) => {
      const { mode, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mode: 0, size: 0, mtimeMs: 0 };
      return `${path} ${mode} ${size} ${mtimeMs}`;
    })
    .join("\n");
}

/** What every program reads: libraries, languages, time zones, names of users, and what the kernel says of this process. */
const SYSTEM =
  /^(?:\/usr\/|\/lib|\/bin\/|\/sbin\/|\/sys\/|\/etc\/(?:ld\.so|locale|localtime|passwd$|group$|nsswitch|magic|alternatives|terminfo|mime|host\.conf|mtab|bash)|\/dev\/(?:null|tty|urandom)|\/proc\/(?:\d+|self|sys|filesystems|cpuinfo|meminfo|mounts|stat|uptime|loadavg)(?:\/(?:maps|mountinfo|mounts|status|stat|cgroup|limits|fd|fdinfo|auxv|.*\/(?:mountinfo|mounts)|kernel\/.*|vm\/.*))?$)|^(?:pipe|socket|anon_inode|\/memfd):/;
const OPENED = /^(?:open|openat|openat2|creat)\(.*?(O_[A-Z_|]+|0x\w+|creat).*\) = \d+<(.*?)>(?:\(deleted\))?$/;
const STARTED = /^execve(?:at)?\("([^"]*)".* = 0$/;

function findOffences(log: string, folders: readonly string[], command: string): readonly string[] {
  const programs = new Set([...command.matchAll(/[\w.[-]+/g)].map(([word]) => word));
  const known = new Set([...programs, "timeout", "bash", "git", "sh", "dash"]);
  const isInside = (path: string) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return log.split("\n").flatMap((line) => {
    const [, flags = "", path = ""] = OPENED.exec(line) ?? [];
    if (path !== "") {
      const isWritten = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|creat/.test(flags);
      if (isWritten) return /^\/dev\/(?:null|tty)$|^pipe:/.test(path) ? [] : [`it opened ${path} to write`];
      return isInside(path) || SYSTEM.test(path) ? [] : [`it read ${path}`];
    }
    const program = STARTED.exec(line)?.[1];
    if (program !== undefined) return known.has(program.replace(/^.*\//, "")) ? [] : [`it started ${program}`];
    const isDone = / = (?!-1)\d/.test(line) && !/^(?:open|creat|execve|exit|\+\+\+)/.test(line);
    return isDone && !/^kill\(/.test(line) ? [`it did ${line}`] : [];
  });
}
