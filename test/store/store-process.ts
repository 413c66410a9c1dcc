import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

export interface FinishedProcess {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real process that runs `script`, a module to which `store` is the URL of the compiled src/store folder. */
export function startStoreProcess(script: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, nodeArguments(script), { env: { ...process.env, ...env } });
}

/** The same below a shell that prints its pid and never waits for it: once ended, it stays a zombie. */
export function startUnwatchedProcess(script: string, env: NodeJS.ProcessEnv): ChildProcess {
  const shell = 'exec 3<&0; "$@" <&3 & echo $!; exec sleep 60';
  return spawn("sh", ["-c", shell, "sh", process.execPath, ...nodeArguments(script)], {
    env: { ...process.env, ...env },
  });
}

function nodeArguments(script: string): string[] {
  const store = `const store = ${JSON.stringify(pathToFileURL(compileStore()).href)};\n`;
  return ["--input-type=module", "--eval", store + script];
}

export async function finish(child: ChildProcess): Promise<FinishedProcess> {
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (output.stdout += chunk));
  child.stderr?.on("data", (chunk) => (output.stderr += chunk));
  const [code, signal] = await once(child, "close");
  return { code, signal, ...output };
}

let compiled: string | undefined;

/** Node 20 runs no TypeScript, and the store has no entry point of its own in the build. */
function compileStore(): string {
  if (compiled) return compiled;
  const dir = mkdtempSync(join(tmpdir(), "turnlog-compiled-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "store"));
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
  symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"), "dir");
  const sources = [
    "errors.ts",
    "own-user.ts",
    ...readdirSync(join(ROOT, "src/store")).map((name) => join("store", name)),
  ];
  for (const source of sources) {
    const text = readFileSync(join(ROOT, "src", source), "utf8");
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    });
    writeFileSync(join(dir, source.replace(/\.ts$/, ".js")), outputText);
  }
  compiled = join(dir, "store");
  return compiled;
}
