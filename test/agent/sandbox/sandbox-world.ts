import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { onTestFinished, vi } from "vitest";
import { Sandbox } from "../../../src/agent/sandbox/sandbox.js";
import { BoundedOutput, runShellCommand, shellEnvironment } from "../../../src/agent/tools/shell/run-shell-command.js";
import { git } from "../git/make-repository.js";

export interface SandboxWorld {
  readonly folder: string;
  readonly project: string;
  readonly home: string;
  readonly configRoot: string;
  readonly dataDir: string;
  readonly sandbox: Sandbox;
  /** What the person was told. */
  readonly told: string[];
  run(command: string): Promise<Ran>;
}

/** What a command inside printed, how it ended, and what the model is told about it. */
interface Ran {
  readonly text: string;
  readonly exitCode: number | null;
  readonly cwd: string | undefined;
  readonly note: string;
}

export const SECRET = "a-secret-that-must-not-be-seen";

/** Not among the temporary files: those are replaced by a private folder in the sandbox. */
function makeOutside(): string {
  const cache = resolve(import.meta.dirname, "../../../.cache");
  const isTemporary = /^(?:\/private)?\/(?:var\/)?tmp\//.test(realpathSync(import.meta.dirname)); // as a checkout may be, too
  const parent = (isTemporary && ["/var/cache", "/opt", "/srv"].find(isWritable)) || cache;
  mkdirSync(parent, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(parent, "turnlog-sandbox-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

interface Wanted {
  readonly allowsNetwork?: boolean;
  readonly allowsUnixSockets?: boolean;
  readonly readable?: readonly string[];
  /** More files of the project. */
  readonly files?: readonly string[];
}

export function openWorld({ files = [], ...wanted }: Wanted = {}): SandboxWorld {
  const folder = makeOutside();
  const home = join(folder, "home");
  const places = { project: join(folder, "project"), configRoot: join(home, ".claude"), dataDir: join(folder, "data") };
  for (const path of [home, places.project, join(folder, "beside")]) mkdirSync(path);
  for (const path of [".ssh/id", ".claude/.credentials.json", ".claude.json", ".aws/credentials", "private.txt"])
    put(join(home, path), SECRET);
  put(join(places.dataDir, "keys.json"), SECRET);
  put(join(folder, "beside/file.txt"), "as it was");
  put(join(places.project, "a.txt"), "one\n");
  for (const name of files) put(join(places.project, name), "mine");
  git(places.project, "init", "--quiet");
  vi.stubEnv("ANTHROPIC_API_KEY", SECRET);
  vi.stubEnv("GH_TOKEN", SECRET);
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const told: string[] = [];
  const wishes = { allowsNetwork: false, readable: [], ...wanted };
  const sandbox = Sandbox.open({ roots: [places.project], home, ...places }, wishes, (text) => told.push(text));
  onTestFinished(() => sandbox.close());
  return { folder, home, ...places, sandbox, told, run: (command) => runIn(sandbox, places.project, command) };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function runIn(sandbox: Sandbox, cwd: string, command: string): Promise<Ran> {
  sandbox.enter();
  const output = new BoundedOutput(1_000_000);
  const env = shellEnvironment({}, sandbox);
  const running = runShellCommand({ command, cwd, env, sandbox, onOutput: (_, text) => output.add(text) });
  const end = await running.end;
  return { text: output.text, exitCode: end.exitCode, cwd: end.cwd, note: sandbox.leave() };
}
