import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";
import { CORPUS } from "../oracle/corpus-sessions.js";
import { allSpans } from "../trace/all-spans.js";
import { startReceiver } from "../trace/receiver.js";

const ROOT = resolve(import.meta.dirname, "..", "..");
const page = readFileSync(join(ROOT, "docs", "trace.md"), "utf8");
const RECORDED = join(CORPUS, "2.1.326/print/projects/-home-dev-demo-app/5ce2d55a-9cac-4f6b-b971-0531bd7c4582.jsonl");
const SECRETS: Readonly<Record<string, string>> = {
  LANGFUSE_PUBLIC_KEY: "pk-lf-1",
  LANGFUSE_SECRET_KEY: "sk-lf-1",
  ANTHROPIC_API_KEY: "sk-ant-none",
};

function blockOf(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([^\`]*)\`\`\`$`, "m").exec(page)?.[1] ?? "";
}

interface Machine {
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** An empty home, and programs: npm, which installs nothing, turnlog as it was built, and a recorded Claude Code. */
function cleanMachine(more: Record<string, string> = {}): Machine {
  const recorded = join(import.meta.dirname, "recorded-claude.mjs");
  const programs: Record<string, string> = {
    npm: 'echo "npm $*"',
    turnlog: `exec "${process.execPath}" "${join(ROOT, "dist", "bin.js")}" "$@"`,
    claude: `exec "${process.execPath}" "${recorded}" "$@"`,
  };
  const bin = temporaryFolder();
  for (const [name, line] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const PATH = `${bin}${delimiter}${process.env["PATH"]}`;
  const env = { PATH, HOME: temporaryFolder(), RECORDED_SESSION: RECORDED, TURNLOG_KEYCHAIN: "off", ...more };
  return { env, cwd: temporaryFolder() };
}

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(program: string, args: readonly string[], { env, cwd }: Machine): Promise<Ran> {
  const child = spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [exitCode] = await once(child, "close");
  return { exitCode, stdout, stderr };
}

/** What GitHub does with the steps of a job. */
async function runWorkflow(machine: Machine, variables: Record<string, string>): Promise<Ran[]> {
  const results: Ran[] = [];
  let isFailed = false;
  for (const step of blockOf("yaml")
    .split(/^ {6}- /m)
    .slice(1)) {
    const line = /^run: (.*)$/m.exec(step)?.[1];
    if (line === undefined || (isFailed && !/^ *if: always\(\)$/m.test(step))) continue;
    const told = [...step.matchAll(/^ {10}(\w+): (.*)$/gm)].map(([, name = "", value = ""]) => [
      name,
      variables[name] ?? value.replace(/\$\{\{ secrets\.(\w+) \}\}/, (_, secret: string) => SECRETS[secret] ?? ""),
    ]);
    const env = { ...machine.env, GITHUB_SHA: "abc123", ...Object.fromEntries(told) };
    const result = await run("bash", ["-e", "-c", line], { ...machine, env });
    isFailed ||= result.exitCode !== 0 && !/^ *continue-on-error: true$/m.test(step);
    results.push(result);
  }
  return results;
}

const sorted = (spans: readonly { readonly spanId: string }[]) => spans.map(({ spanId }) => spanId).sort();

test("the steps for GitHub Actions send each turn once, and keep the keys of Langfuse from Claude Code", async () => {
  const receiver = await startReceiver();
  const results = await runWorkflow(cleanMachine(), { LANGFUSE_BASE_URL: receiver.endpoint });
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  const [npm, install, claude, flush] = results.map(({ stdout }) => stdout);
  expect(npm).toBe("npm install -g turnlog @anthropic-ai/claude-code\n");
  expect(install).toContain("installed: turns are sent to langfuse");
  expect(claude).toBe('["-p","Fix the failing test","--permission-mode","acceptEdits"] with key none\n');
  expect(flush).toBe("everything is sent\n");
  expect(sorted(receiver.stored())).toEqual(sorted(allSpans(RECORDED)));
  const bodies = receiver.requests.map(({ body }) => body.toString("latin1")).join("");
  expect(bodies).toMatch(/deployment\.environment\.name[\s\S]{0,6}ci/);
  expect(bodies).toContain("abc123");
});

test("the steps for GitHub Actions run Claude Code also where Langfuse does not answer, or gets no key", async () => {
  const unreachable = await runWorkflow(cleanMachine(), { LANGFUSE_BASE_URL: "http://127.0.0.1:9" });
  expect(unreachable.map(({ exitCode }) => exitCode)).toEqual([0, 1, 0, 1]);
  const keyless = await runWorkflow(cleanMachine(), { LANGFUSE_SECRET_KEY: "" });
  expect(keyless.map(({ exitCode }) => exitCode)).toEqual([0, 2, 0, 1]);
});

test("the entry point of a container sends each turn once, and ends as Claude Code did", async () => {
  const receiver = await startReceiver();
  const machine = cleanMachine({ ...SECRETS, LANGFUSE_BASE_URL: receiver.endpoint, CLAUDE_EXIT: "3" });
  const script = join(machine.cwd, "entrypoint.sh");
  writeFileSync(script, blockOf("sh entrypoint.sh"));
  expect(blockOf("dockerfile")).toContain('ENTRYPOINT ["sh", "/entrypoint.sh"]');
  const result = await run("sh", [script, "Fix the failing test"], machine);
  expect(result).toMatchObject({ exitCode: 3, stdout: '["-p","Fix the failing test"] with key none\n' });
  expect(result.stderr).toContain("everything is sent");
  expect(sorted(receiver.stored())).toEqual(sorted(allSpans(RECORDED)));
});
