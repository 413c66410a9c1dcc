import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface CommandOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it reads; without it there is no input. */
  readonly input?: string;
  onOutput(stream: "stdout" | "stderr", text: Buffer): void;
}

export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Where the shell stood at its end. */
  readonly cwd: string | undefined;
}

export interface RunningCommand {
  readonly pid: number | undefined;
  readonly end: Promise<CommandEnd>;
  /** SIGTERM to the whole group, SIGKILL to what is left a moment later. */
  kill(): void;
  killAtOnce(): void;
  /** Children that it left behind still run. */
  isGroupAlive(): boolean;
}

const GRACE_MS = 200;
/** Output that is still in the pipe when the shell ends; background children may hold the pipe open for ever. */
const DRAIN_MS = 100;

/** Bash notes where it stands when it ends; `exit` inside of the command does not prevent that. */
const WRAPPER = `trap 'pwd -P >| "$0" 2>/dev/null' EXIT; eval "$1"`;

/** Runs a command in a process group of its own, so that nothing of it outlives a kill. */
export function runCommand({ command, cwd, env, input, onOutput }: CommandOptions): RunningCommand {
  const notes = mkdtempSync(join(tmpdir(), "turnlog-shell-"));
  const cwdFile = join(notes, "cwd");
  const child = spawn("bash", ["-c", WRAPPER, cwdFile, command], {
    cwd,
    env,
    detached: true,
    // Without input no pipe: programs such as rg would read it instead of the folder.
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => undefined); // it ended without reading
  child.stdin?.end(input);
  child.stdout?.on("data", (text: Buffer) => onOutput("stdout", text));
  child.stderr?.on("data", (text: Buffer) => onOutput("stderr", text));
  const end = waitForEnd(child).then(({ exitCode, signal }) => {
    const stoodAt = readIfPresent(cwdFile);
    rmSync(notes, { recursive: true, force: true });
    return { exitCode, signal, cwd: stoodAt };
  });
  return {
    pid: child.pid,
    end,
    kill: () => {
      killGroup(child, "SIGTERM");
      setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
    },
    killAtOnce: () => killGroup(child, "SIGKILL"),
    isGroupAlive: () => killGroup(child, 0),
  };
}

function waitForEnd(child: ChildProcess): Promise<Pick<CommandEnd, "exitCode" | "signal">> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => {
      const finish = () => {
        clearTimeout(timer);
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ exitCode, signal });
      };
      const timer = setTimeout(finish, DRAIN_MS);
      child.once("close", finish);
    });
  });
}

/** False: the group has ended by itself. Signal 0 only asks. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false; // nobody is there any more
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined; // the shell was killed before it could say
  }
}
