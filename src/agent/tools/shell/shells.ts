import { randomBytes } from "node:crypto";
import { BoundedOutput } from "./bounded-output.js";
import { type CommandEnd, type RunningCommand, runCommand } from "./run-command.js";
import { shellEnvironment } from "./shell-environment.js";

const MAX_KEPT_CHARS = 10 * 1024 * 1024;

export interface Shell {
  readonly id: string;
  readonly command: string;
  readonly callId: string;
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
  /** Undefined while it runs. */
  ended: CommandEnd | undefined;
  wasKilled: boolean;
  /** What the model has read of stdout and stderr so far. */
  readonly read: { stdout: number; stderr: number };
}

/** The commands that run in the background. They end with the process. */
export class Shells {
  readonly #shells = new Map<string, Shell>();
  readonly #running = new Map<string, RunningCommand>();
  readonly #leftBehind: RunningCommand[] = [];
  readonly #killAll = () => this.killAll();

  constructor(private readonly onEnd: (shell: Shell) => void) {
    process.once("exit", this.#killAll);
  }

  get running(): readonly Shell[] {
    return [...this.#running.keys()].flatMap((id) => this.#shells.get(id) ?? []);
  }

  find(id: string): Shell | undefined {
    return this.#shells.get(id);
  }

  start(options: { command: string; callId: string; cwd: string; env: NodeJS.ProcessEnv }): Shell {
    const { command, callId, cwd, env } = options;
    const shell: Shell = {
      id: `b${randomBytes(4).toString("hex")}`,
      command,
      callId,
      stdout: new BoundedOutput(MAX_KEPT_CHARS),
      stderr: new BoundedOutput(MAX_KEPT_CHARS),
      ended: undefined,
      wasKilled: false,
      read: { stdout: 0, stderr: 0 },
    };
    const running = runCommand({
      command,
      cwd,
      env: shellEnvironment(env),
      onOutput: (stream, text) => shell[stream].add(text),
    });
    this.#shells.set(shell.id, shell);
    this.#running.set(shell.id, running);
    void running.end
      .catch((): CommandEnd => ({ exitCode: null, signal: null, cwd: undefined }))
      .then((end) => {
        shell.ended = end;
        this.#running.delete(shell.id);
        this.onEnd(shell);
      });
    return shell;
  }

  /** What a command that ended left running ends with the chat, too. */
  adopt(command: RunningCommand): void {
    this.#leftBehind.push(command);
  }

  kill(id: string): boolean {
    const shell = this.#shells.get(id);
    const running = this.#running.get(id);
    if (!shell || !running) return false;
    shell.wasKilled = true;
    running.kill();
    return true;
  }

  killAll(): void {
    for (const running of [...this.#running.values(), ...this.#leftBehind]) running.killAtOnce();
  }

  close(): void {
    this.killAll();
    process.off("exit", this.#killAll);
  }
}
