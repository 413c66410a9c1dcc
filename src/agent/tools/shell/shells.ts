import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import type { ChildRegister } from "../../../store/child-register.js";
import { type CommandEnd, type CommandOptions, type RunningCommand, runShellCommand } from "./run-shell-command.js";

const MAX_KEPT_CHARS = 10 * 1024 * 1024;

export interface Shell {
  readonly id: string;
  readonly command: string;
  readonly callId: string;
  readonly stdout: UnreadOutput;
  readonly stderr: UnreadOutput;
  /** Undefined while it is running. */
  ended: CommandEnd | undefined;
  wasKilled: boolean;
  /** The model already knows that it ended. */
  isEndKnown: boolean;
  /** For the model, at the end. */
  note: string;
}

interface BackgroundCommand extends Omit<CommandOptions, "onOutput"> {
  /** What runs in place of the command that is shown. */
  readonly runs?: string | undefined;
  readonly callId: string;
  /** Returns a note for the model. */
  onEnd?(): string;
}

/** Running commands, in the background or not. They are killed when the process exits. */
export class Shells {
  readonly #shells = new Map<string, Shell>();
  readonly #running = new Map<string, RunningCommand>();
  readonly #watched = new Set<RunningCommand>();
  readonly #changes = new EventEmitter();
  readonly #killAll = () => this.killAll();

  constructor(
    private readonly onEnd: (shell: Shell) => void,
    /** Where they are noted, for the case that this process is killed. */
    private readonly register?: ChildRegister,
  ) {
    process.once("exit", this.#killAll);
  }

  /** Without those that are being killed. */
  get running(): readonly Shell[] {
    const shells = [...this.#running.keys()].flatMap((id) => this.#shells.get(id) ?? []);
    return shells.filter(({ wasKilled }) => !wasKilled);
  }

  find(id: string): Shell | undefined {
    return this.#shells.get(id);
  }

  start({ callId, onEnd, runs, ...options }: BackgroundCommand): Shell {
    const { command } = options;
    const shell: Shell = {
      id: `b${randomBytes(4).toString("hex")}`,
      command,
      callId,
      stdout: new UnreadOutput(MAX_KEPT_CHARS),
      stderr: new UnreadOutput(MAX_KEPT_CHARS),
      ended: undefined,
      wasKilled: false,
      isEndKnown: false,
      note: "",
    };
    const running = this.run({
      ...options,
      command: runs ?? command,
      onOutput: (stream, text) => {
        shell[stream].add(text);
        this.#changes.emit(shell.id);
      },
    });
    this.#shells.set(shell.id, shell);
    this.#running.set(shell.id, running);
    void running.end
      .catch((): CommandEnd => ({ exitCode: null, signal: null, cwd: undefined }))
      .then((end) => {
        shell.ended = end;
        shell.note = onEnd?.().trim() ?? "";
        shell.stderr.add(Buffer.from(shell.note));
        this.#running.delete(shell.id);
        this.#changes.emit(shell.id);
        this.onEnd(shell);
      });
    return shell;
  }

  /** Waits until it prints something, it ends, or the signal aborts. */
  async waitForNews({ id, ended, stdout, stderr }: Shell, signal: AbortSignal): Promise<void> {
    if (ended || !stdout.isEmpty || !stderr.isEmpty) return;
    await once(this.#changes, id, { signal }).catch(() => undefined);
  }

  /** Runs a command that is killed when the process exits; what it leaves running is killed when the chat ends. */
  run(options: Omit<CommandOptions, "onSpawned">): RunningCommand {
    return runShellCommand({ ...options, onSpawned: (command) => this.#watch(command) });
  }

  kill(id: string): boolean {
    const shell = this.#shells.get(id);
    const running = this.#running.get(id);
    if (!shell || !running) return false;
    shell.wasKilled = true;
    shell.isEndKnown = true;
    running.kill();
    return true;
  }

  killAll(): void {
    for (const running of [...this.#running.values(), ...this.#watched]) running.killAtOnce();
  }

  #watch(command: RunningCommand): void {
    const { pid } = command;
    this.#watched.add(command);
    if (pid !== undefined) this.register?.add(pid);
    const forget = () => {
      if (command.isGroupAlive()) return;
      this.#watched.delete(command);
      if (pid !== undefined) this.register?.remove(pid);
    };
    void command.end.then(forget, forget);
  }

  close(): void {
    this.killAll();
    this.register?.close();
    process.off("exit", this.#killAll);
  }
}

/** Output of a command that was not read yet. Over the limit, the oldest is dropped. */
export class UnreadOutput {
  readonly #decoder = new StringDecoder("utf8");
  #pieces: string[] = [];
  #length = 0;
  #dropped = 0;

  constructor(private readonly bound: number) {}

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(bytes: Buffer): void {
    const text = this.#decoder.write(bytes);
    if (text === "") return;
    this.#pieces.push(text);
    this.#length += text.length;
    while (this.#length > this.bound && this.#pieces.length > 1) this.#drop(this.#pieces.shift() ?? "");
  }

  /** Takes the oldest part; `dropped` is how much was lost before it. */
  take(maxChars: number): { readonly text: string; readonly dropped: number } {
    const whole = this.#pieces.join("");
    const text = whole.slice(0, maxChars);
    const dropped = this.#dropped;
    this.#pieces = text.length < whole.length ? [whole.slice(maxChars)] : [];
    this.#length = whole.length - text.length;
    this.#dropped = 0;
    return { text, dropped };
  }

  #drop(piece: string): void {
    this.#length -= piece.length;
    this.#dropped += piece.length;
  }
}
