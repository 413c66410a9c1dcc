// Serves recorded sessions with `turnlog mock` to a real client and to `turnlog chat`, and checks that both record the same answers.
// See docs/interop.md.
//   node scripts/interop-mock.mjs [--client 2.1.326] [--sessions demo]
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { clientCommand, clientEnvironment, runClient } from "./interop/clients.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const TURNLOG = join(ROOT, "dist", "bin.js");
const TIMEOUT_MS = 180_000;
/** Sessions of print mode and of the demo: their prompts can be typed again one by one. */
const FOLDERS = ["demo", "test/corpus/2.1.326/print", "test/corpus/2.1.325/print", "test/corpus/2.1.45/print"];

/** Where a session was interrupted in a call, the call runs now, and its result has no recorded answer. */
const END = "The recorded session ends here.";

const { values: options } = parseArgs({
  options: { client: { type: "string", default: "2.1.326" }, sessions: { type: "string", default: "" } },
});
const command = clientCommand(options.client);
let failures = 0;
for (const path of FOLDERS.flatMap(sessionFiles).filter((name) => name.includes(options.sessions))) await check(path);
process.exitCode = failures > 0 ? 1 : 0;

function sessionFiles(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => name.endsWith(".jsonl") && !/agent-|history|subagents/.test(name))
    .map((name) => join(ROOT, folder, name));
}

async function check(path) {
  const recorded = answersIn(path);
  const prompts = promptsOf(path);
  if (prompts.length === 0 || recorded.length === 0) return;
  for (const who of ["client", "chat"]) {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "turnlog-mock-")));
    try {
      const got = await record(path, prompts, who, home);
      report(path, who, recorded, got);
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

async function record(path, prompts, who, home) {
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const mock = await startMock(path, home);
  try {
    for (const [at, prompt] of prompts.entries()) {
      const more = at === 0 ? [] : ["--continue"];
      await (who === "client" ? runAsClient : runAsChat)({
        home,
        cwd,
        url: mock.url,
        args: ["-p", ...more, "--", prompt],
      });
    }
  } finally {
    mock.child.kill();
  }
  const files = readdirSync(join(home, ".claude", "projects"), { recursive: true })
    .filter((name) => name.endsWith(".jsonl") && !/agent-|subagents/.test(name))
    .map((name) => join(home, ".claude", "projects", name));
  return files.flatMap(answersIn);
}

function runAsClient(run) {
  return runClient({ command, timeoutMs: TIMEOUT_MS, ...run });
}

function runAsChat({ home, cwd, url, args }) {
  const env = { ...clientEnvironment({ home, url }), TURNLOG_DATA_DIR: join(home, "data") };
  return runAsClientOf([process.execPath, TURNLOG, "chat", ...args], cwd, env);
}

function runAsClientOf([program, ...args], cwd, env) {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd, env, stdio: "ignore", timeout: TIMEOUT_MS });
    child.once("exit", done);
  });
}

function startMock(path, home) {
  const env = { PATH: process.env.PATH, HOME: home, TURNLOG_DATA_DIR: join(home, "mock-data") };
  const child = spawn(process.execPath, [TURNLOG, "mock", path, "--fast"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return new Promise((done, fail) => {
    child.once("exit", (code) => fail(new Error(`turnlog mock ended with ${code}`)));
    child.stdout.setEncoding("utf8").once("data", (text) => done({ child, url: text.trim() }));
  });
}

/** What the model answered, each block once, in the order of the file. */
function answersIn(path) {
  const seen = new Set();
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => parse(line) ?? [])
    .filter(({ type, isSidechain, message }) => type === "assistant" && !isSidechain && message.model !== "<synthetic>")
    .flatMap(({ message }) => (Array.isArray(message.content) ? message.content : []))
    .flatMap((block) => (block.type === "text" ? [block.text.trim()] : block.type === "tool_use" ? [block.id] : []))
    .filter((said) => said !== "" && !seen.has(said) && seen.add(said));
}

function promptsOf(path) {
  const env = { ...process.env, TURNLOG_DATA_DIR: mkdtempSync(join(tmpdir(), "turnlog-mock-data-")) };
  const { stdout } = spawnSync(process.execPath, [TURNLOG, "show", path, "--json", "--reveal"], {
    env,
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  rmSync(env.TURNLOG_DATA_DIR, { recursive: true, force: true });
  return (parse(stdout)?.turns ?? [])
    .map(({ prompt }) => prompt?.text ?? prompt)
    .filter((text) => typeof text === "string" && text !== "" && !text.startsWith("/"));
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function report(path, who, recorded, got) {
  const missing = recorded.filter((said) => !got.includes(said));
  const added = got.filter((said) => !recorded.includes(said) && said !== END);
  const isEqual = missing.length === 0 && added.length === 0;
  if (!isEqual) failures += 1;
  const name = `${basename(path, ".jsonl").slice(0, 8)} ${who === "client" ? options.client : "turnlog chat"}`;
  const detail = isEqual
    ? ""
    : `: missing ${JSON.stringify(missing).slice(0, 200)}, added ${JSON.stringify(added).slice(0, 200)}`;
  console.log(`${isEqual ? "ok    " : "differs"} ${name} (${got.length} of ${recorded.length} blocks)${detail}`);
}
