import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const BIN = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");
const PATIENCE_MS = 30_000;

export interface Job {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How a command ended: `fatal` where it threw, was ended by a signal, or did not end at all. */
export interface Ending {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly fatal: string | null;
}

/** The built turnlog in a process of its own that runs one command after the other: starting one for each takes longer. */
export class CommandWorker {
  #child: ChildProcess | undefined;
  #answer: ((line: string) => void) | undefined;

  async run(job: Job): Promise<Ending> {
    const child = this.#start();
    const died = (fatal: string): Ending => ({ exitCode: -1, stdout: "", stderr: "", fatal });
    return new Promise((done) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      const ended = (code: number | null, signal: string | null) => {
        clearTimeout(timer);
        this.#child = undefined;
        done(died(signal === "SIGKILL" ? "did not end" : `ended by ${signal ?? code}`));
      };
      child.once("exit", ended);
      this.#answer = (line) => {
        clearTimeout(timer);
        child.off("exit", ended);
        done(JSON.parse(line));
      };
      child.stdin?.write(`${JSON.stringify(job)}\n`);
    });
  }

  close(): void {
    this.#child?.kill("SIGKILL");
  }

  #start(): ChildProcess {
    if (this.#child) return this.#child;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", SCRIPT], {
      stdio: ["pipe", "ignore", "inherit", "pipe"],
    });
    const answers = child.stdio[3] as NodeJS.ReadableStream;
    createInterface({ input: answers }).on("line", (line) => this.#answer?.(line));
    this.#child = child;
    return child;
  }
}

/** Each import of `bin.js` under another name runs it again, with the modules that are loaded. */
const SCRIPT = `
  import { writeSync } from "node:fs";
  import { createInterface } from "node:readline";
  const jobs = createInterface({ input: process.stdin });
  const own = { ...process.env };
  for (const stream of [process, process.stdout, process.stderr]) stream.setMaxListeners(0);
  let output;
  for (const name of ["stdout", "stderr"])
    process[name].write = (text) => { output[name] += text; return true; };
  let number = 0;
  for await (const line of jobs) {
    const { args, env  } = JSON.parse(line);
    output = { stdout: "", stderr: "" };
    let fatal = null;
    for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
    Object.assign(process.env, own, env);
    process.argv = [process.execPath, "turnlog", ...args];
    try {
      await import(${JSON.stringify(pathToFileURL(BIN).href)} + "?" + ++number);
    } catch (error) {
      fatal = String(error?.stack ?? error);
    }
    const answer = Buffer.from(JSON.stringify({ exitCode: process.exitCode ?? 0, ...output, fatal }) + "\\n");
    for (let at = 0; at < answer.length;)
      try { at += writeSync(3, answer, at); } catch (error) { if (error.code !== "EAGAIN") throw error; }
    process.exitCode = undefined;
  }
`;
