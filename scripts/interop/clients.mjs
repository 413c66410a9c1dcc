// Real clients, from npm into a cache folder, and one run of one of them.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const PACKAGE = "@anthropic-ai/claude-code";

/** TURNLOG_CACHE, else the platform's folder for caches. */
export function cacheFolder() {
  const { TURNLOG_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (TURNLOG_CACHE) return resolve(TURNLOG_CACHE);
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "turnlog", "Cache");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "turnlog");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "turnlog");
}

/** The command that starts a client; installs it first where it is not there yet. */
export function clientCommand(version) {
  const folder = join(cacheFolder(), "clients", version);
  const known = findCommand(folder);
  if (known) return known;
  console.error(`Installing ${PACKAGE}@${version} into ${folder}`);
  mkdirSync(join(cacheFolder(), "clients"), { recursive: true });
  const draft = mkdtempSync(join(cacheFolder(), "clients", ".draft-"));
  writeFileSync(join(draft, "package.json"), '{"private":true}\n');
  const options = ["--ignore-scripts", "--include=optional", "--no-audit", "--no-fund"];
  const npm = spawnSync("npm", ["install", ...options, `${PACKAGE}@${version}`], {
    cwd: draft,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (npm.status === 0 && !existsSync(folder)) renameSync(draft, folder);
  rmSync(draft, { recursive: true, force: true });
  const command = findCommand(folder);
  if (!command) throw new Error(`cannot install ${PACKAGE}@${version}`);
  return command;
}

/** Up to about 2.1.100 a program for Node, later a native one in a package for each platform. */
function findCommand(folder) {
  const scope = join(folder, "node_modules", "@anthropic-ai");
  const script = join(scope, "claude-code", "cli.js");
  if (existsSync(script)) return [process.execPath, script];
  const name = process.platform === "win32" ? "claude.exe" : "claude";
  const native = ["", "-musl"].map((kind) =>
    join(scope, `claude-code-${process.platform}-${process.arch}${kind}`, name),
  );
  const found = native.find(existsSync);
  return found ? [found] : undefined;
}

/** Resumes a session once. */
export function resumeOnce({ id, prompt, ...run }) {
  return runClient({ ...run, args: ["-p", "--resume", id, "--output-format", "json", prompt] });
}

/** What a client may know of this machine: a home of its own, and the mock. */
export function clientEnvironment({ home, url, variables = {} }) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    USERPROFILE: home,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    LANG: "C.UTF-8",
    TERM: "dumb",
    ANTHROPIC_API_KEY: "sk-ant-none",
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    API_TIMEOUT_MS: "20000",
    CLAUDE_CODE_MAX_RETRIES: "1",
    MAX_THINKING_TOKENS: "4000",
    // Whatever is not the mock is sent to a port where nobody listens.
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
    ...variables,
  };
}

/** One run of a client in a home of its own; ends it by force when it takes too long. */
export function runClient({ command, cwd, args: given, timeoutMs, ...place }) {
  const env = clientEnvironment(place);
  const [program, ...args] = [...command, ...given];
  return new Promise((done) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    const timer = setTimeout(() => endGroup(child.pid), timeoutMs);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", (error) => done({ code: -1, output: error.message }));
    child.once("exit", (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      done({ code, output });
    });
  });
}

/** A client that hangs ignores polite signals (2.0.50). */
function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
