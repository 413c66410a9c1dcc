import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { isFileError } from "../../../errors.js";
import { makeTemporaryFolder, removeTemporary } from "../../../store/temporary.js";
import { childEnvironment } from "../../child-environment.js";
import { quote } from "../../permissions/command/print-command.js";
import type { Sandbox } from "../../sandbox/sandbox.js";

export interface CommandOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly sandbox?: Sandbox | undefined;
  /** More folders that it may write to in the sandbox. */
  readonly folders?: readonly string[];
  /** Its stdin; default: none. */
  readonly input?: string;
  /** Its process exists, and waits until this has returned. */
  onSpawned?(command: RunningCommand): void;
  onOutput(stream: "stdout" | "stderr", text: Buffer): void;
}

export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The working directory at its end. */
  readonly cwd: string | undefined;
}

export interface RunningCommand {
  readonly pid: number | undefined;
  readonly end: Promise<CommandEnd>;
  /** SIGTERM to the process group, then SIGKILL. */
  kill(): void;
  killAtOnce(): void;
  /** Whether child processes are still running. */
  isGroupAlive(): boolean;
}

const GRACE_MS = 200;
/** How long to wait for buffered output after the shell ended; background children may keep the pipe open. */
const DRAIN_MS = 100;

/** Nothing runs before the process is noted: if this process is killed until then, the shell reads the end of the pipe and exits. */
const GATE = process.platform === "win32" ? "" : "read -r <&3 || exit; unset REPLY; exec 3<&-; ";

/** Bash writes its working directory to a file when it ends, also after `exit`. */
function wrapperFor(cwdFile: string): string {
  return `${GATE}trap ${quote(`pwd -P >| ${quote(cwdFile)} 2>/dev/null`)} EXIT; eval "$1"`;
}

/** Runs a command in its own process group, so that a kill reaches all of it. */
export function runShellCommand(options: CommandOptions): RunningCommand {
  const { command, cwd, env, sandbox, folders = [], input, onOutput, onSpawned } = options;
  const notes = makeTemporaryFolder("shell");
  const cwdFile = join(notes, "cwd");
  const bash = ["bash", "-c", wrapperFor(cwdFile), "bash", command];
  const [file = "", ...args] = sandbox?.wrap(bash, { cwd, folders: [notes, ...folders] }) ?? bash;
  const child = spawn(file, args, {
    cwd,
    env,
    detached: true,
    // No pipe without input: programs such as rg would read it instead of the folder.
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => undefined); // it exited without reading
  child.stdin?.end(input);
  child.stdout?.on("data", (text: Buffer) => onOutput("stdout", text));
  child.stderr?.on("data", (text: Buffer) => onOutput("stderr", text));
  const end = waitForEnd(child).then(({ exitCode, signal }) => {
    const lastCwd = readNote(cwdFile)?.trim() || undefined; // missing if the shell was killed
    removeTemporary(notes);
    return { exitCode, signal, cwd: lastCwd };
  });
  const running: RunningCommand = {
    pid: child.pid,
    end,
    kill: () => {
      killGroup(child, "SIGTERM");
      setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
    },
    killAtOnce: () => killGroup(child, "SIGKILL"),
    isGroupAlive: () => killGroup(child, 0),
  };
  onSpawned?.(running);
  openGate(child);
  return running;
}

function openGate({ stdio: [, , , gate] }: ChildProcess): void {
  if (!(gate instanceof Writable)) return; // it could not be started
  gate.on("error", () => undefined); // it was killed
  gate.end("\n");
}

const MAX_PATH_BYTES = 8_192;

/** The command could have put a link or a pipe in the place of the file. */
function readNote(path: string): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(MAX_PATH_BYTES);
      return fstatSync(file).isFile() ? bytes.toString("utf8", 0, readSync(file, bytes)) : undefined;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
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

/** False: the group no longer exists. Signal 0 only checks. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false; // the group no longer exists
  }
}

/** Keeps output up to a limit and counts what is dropped. */
export class BoundedOutput {
  readonly #decoder = new StringDecoder("utf8");
  readonly #pieces: string[] = [];
  #length = 0;
  #dropped = 0;

  constructor(private readonly bound: number) {}

  add(bytes: Buffer): void {
    const text = this.#decoder.write(bytes);
    const room = this.bound - this.#length;
    if (room > 0) this.#pieces.push(text.slice(0, room));
    this.#length += Math.min(text.length, Math.max(room, 0));
    this.#dropped += Math.max(text.length - Math.max(room, 0), 0);
  }

  get text(): string {
    const note = this.#dropped > 0 ? `\n… (${this.#dropped} more characters were dropped)` : "";
    return this.#pieces.join("") + note;
  }
}

/** For commands of the model. */
export function shellEnvironment(
  variables: Readonly<Record<string, string>>,
  sandbox: Sandbox | undefined,
): NodeJS.ProcessEnv {
  // Programs must not wait for input or start a pager.
  const quiet = { GIT_EDITOR: "true", GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat", PAGER: "cat", TURNLOG: "1" };
  return { ...(sandbox?.environment(variables) ?? childEnvironment("command", variables)), ...quiet };
}
