// A home with a project, in which turnlog and a real client take turns on one session, against one mock API.
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findRefusals } from "../api-rules.mjs";
import { runClient } from "../clients.mjs";
import { startMockApi } from "../mock-api.mjs";
import { saidIn } from "./said.mjs";
import { scriptedModel } from "./scripted-model.mjs";

const TURNLOG = resolve(import.meta.dirname, "../../../dist/bin.js");
const TIMEOUT_MS = 90_000;
const TOOLS = "Read,Write,Edit,Bash,Task,Agent";

export async function openPlace() {
  const home = mkdtempSync(join(tmpdir(), "turnlog-interop-chat-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.txt"), "alpha\n");
  const api = await startMockApi(scriptedModel(cwd));
  return new Place(home, cwd, api);
}

class Place {
  /** More variables for clients. */
  variables = {};

  constructor(home, cwd, api) {
    Object.assign(this, { home, cwd, api });
  }

  get folder() {
    return join(this.home, ".claude", "projects", this.cwd.replace(/[^a-zA-Z0-9]/g, "-"));
  }

  /** The only session there; 2.0.50 leaves empty files beside it. */
  get id() {
    const ids = this.#ids();
    if (ids.length !== 1) throw new Error(`${ids.length} sessions instead of one`);
    return ids[0];
  }

  #ids() {
    const names = existsSync(this.folder) ? readdirSync(this.folder) : [];
    return names
      .filter((name) => /^[0-9a-f-]{36}\.jsonl$/.test(name) && statSync(join(this.folder, name)).size > 0)
      .map((name) => name.slice(0, -".jsonl".length));
  }

  get file() {
    return join(this.folder, `${this.id}.jsonl`);
  }

  close() {
    this.api.close();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 });
  }

  /** A prompt through turnlog; gives the first request that it made. */
  async turnlog(prompt, ...args) {
    const all = ["chat", "-p", prompt, "--permission-mode", "bypassPermissions", ...args];
    return this.#firstRequest(prompt, () => run([process.execPath, TURNLOG, ...all], this.cwd, this.#turnlogEnv()));
  }

  /** A prompt through a client, in the session that is there or a new one. */
  async client({ command }, prompt, ...args) {
    const { home, cwd, api, variables } = this;
    const all = ["-p", prompt, "--output-format", "json", "--allowedTools", TOOLS, ...args];
    return this.#firstRequest(prompt, () =>
      runClient({ command, home, cwd, url: api.url, args: all, timeoutMs: TIMEOUT_MS, variables }),
    );
  }

  /** Lets a client put the files back as they were at a prompt. */
  async rewind({ command }, promptUuid) {
    const { home, cwd, api, id, variables } = this;
    const args = ["-p", "--resume", id, "--rewind-files", promptUuid];
    const options = { command, home, cwd, url: api.url, args, timeoutMs: TIMEOUT_MS, variables };
    const { code, output } = await runClient(options);
    if (code !== 0) throw new Error(`rewind: ${output.trim().slice(0, 200)}`);
  }

  /** Ends turnlog in the middle of a call. */
  async turnlogEndedBy(signal, prompt) {
    const all = ["chat", "-p", prompt, "--permission-mode", "bypassPermissions"];
    const child = spawn(process.execPath, [TURNLOG, ...all], {
      cwd: this.cwd,
      env: this.#turnlogEnv(),
      stdio: "ignore",
    });
    const end = new Promise((done) => child.once("exit", done));
    const deadline = Date.now() + TIMEOUT_MS;
    while (!this.#hasCall() && Date.now() < deadline) await new Promise((go) => setTimeout(go, 50));
    child.kill(signal);
    await end;
  }

  #hasCall() {
    return this.#ids().length > 0 && readFileSync(this.file, "utf8").includes('"tool_use"');
  }

  /** What turnlog says that a client must send to go on. */
  replay() {
    const args = ["export", this.file, "--format", "api", "--no-redact"];
    const { stdout } = spawnSync(process.execPath, [TURNLOG, ...args], {
      encoding: "utf8",
      env: this.#turnlogEnv(),
      maxBuffer: 1 << 28,
    });
    const json = JSON.parse(stdout);
    return saidIn(Array.isArray(json) ? json : json.messages);
  }

  /** What `turnlog verify` finds, worst first. */
  problem() {
    const { status, stdout, stderr } = spawnSync(process.execPath, [TURNLOG, "verify", this.file], {
      encoding: "utf8",
      env: this.#turnlogEnv(),
    });
    return status === 0 ? undefined : `verify: ${(stdout + stderr).trim().split("\n")[0]}`;
  }

  /** What happens in between is taken back: the session is as it was. */
  async undone(action) {
    const { file } = this;
    const kept = join(this.home, "kept.jsonl");
    copyFileSync(file, kept);
    const result = await action();
    copyFileSync(kept, file);
    return result;
  }

  async #firstRequest(prompt, action) {
    const from = this.api.requests.length;
    const { code, output } = await action();
    const made = this.api.requests.slice(from);
    const refusal = made.flatMap(findRefusals)[0];
    if (refusal) throw new Error(`the API refuses: ${refusal}`);
    const request = made.find(
      ({ messages, tools = [] }) =>
        tools.length > 0 && JSON.stringify(messages).includes(JSON.stringify(prompt).slice(1, -1)),
    );
    if (!request) throw new Error(`no request: ${output.trim().slice(0, 200) || `exit code ${code}`}`);
    if (code !== 0) throw new Error(`exit code ${code}: ${output.trim().slice(0, 200)}`);
    return saidIn(request.messages);
  }

  #turnlogEnv() {
    const { home, api } = this;
    return {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      TURNLOG_DATA_DIR: join(home, "turnlog"),
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: api.url,
      NO_COLOR: "1",
    };
  }
}

function run([program, ...args], cwd, env) {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    child.once("exit", (code) => {
      clearTimeout(timer);
      done({ code, output });
    });
  });
}
