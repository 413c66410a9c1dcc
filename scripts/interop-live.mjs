// Drives a real client in a terminal of its own and checks what `turnlog live` says of it. See docs/interop.md.
//   node scripts/interop-live.mjs [--client 2.1.326]
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { clientCommand, clientEnvironment } from "./interop/clients.mjs";
import { startMockApi, textBlock } from "./interop/mock-api.mjs";

const TURNLOG = resolve(import.meta.dirname, "..", "dist", "bin.js");
const QUESTION = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
};
const PATIENCE_MS = 60_000;
const SAMPLES = 100;

const { values: options } = parseArgs({ options: { client: { type: "string", default: "2.1.326" } } });
const command = clientCommand(options.client);
const home = realpathSync(mkdtempSync(join(tmpdir(), "turnlog-live-")));
const cwd = join(home, "project");
const config = join(home, ".claude");
const api = await startMockApi(reply);
let isHeld = false;
prepareHome();
const client = startClient();
const live = startLive();
let failures = 0;
try {
  await expectState("started", () => {}, { state: "waiting", waitsFor: "prompt" });
  isHeld = true;
  await expectState("working", () => type("[[slow]] think"), { state: "working" });
  await countFalseWaiting();
  isHeld = false;
  await expectState("answered", () => {}, { state: "waiting", waitsFor: "prompt" });
  await expectState("asks for a permission", () => type("[[permission]] do it"), {
    state: "waiting",
    waitsFor: "permission",
  });
  await expectState("denied", () => press("\u001b"), { state: "waiting", waitsFor: "prompt" });
  await expectState("asks a question", () => type("[[question]] which"), { state: "waiting", waitsFor: "answer" });
  await expectState("not answered", () => press("\u001b"), { state: "waiting", waitsFor: "prompt" });
  isHeld = true;
  await expectState("working again", () => type("[[slow]] again"), { state: "working" });
  await untilWritten("[[slow]] again");
  await expectState("killed", () => process.kill(ownProcess(), "SIGKILL"), { state: "failed" });
} finally {
  isHeld = false;
  live.child.kill("SIGTERM");
  client.kill("SIGKILL");
  api.close();
  await sleep(200);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = failures > 0 ? 1 : 0;

async function reply({ messages }) {
  const last = JSON.stringify(messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1));
  while (isHeld && last.includes("[[slow]]")) await sleep(50);
  if (last.includes("[[permission]]"))
    return [toolUse("Bash", { command: "touch made-by-test", description: "Make a file" })];
  if (last.includes("[[question]]")) return [toolUse("AskUserQuestion", { questions: [QUESTION] })];
  return [textBlock("Understood.")];
}

function toolUse(name, input) {
  return { type: "tool_use", id: `toolu_${Math.random().toString(36).slice(2)}`, name, input };
}

/** As after its first start: no welcome, the folder trusted, the key accepted. */
function prepareHome() {
  mkdirSync(cwd);
  mkdirSync(config);
  const key = "sk-ant-none";
  const state = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(join(config, ".claude.json"), JSON.stringify(state));
}

/** `script` gives it a terminal. */
function startClient() {
  const line = command.map((word) => `'${word}'`).join(" ");
  const env = { ...clientEnvironment({ home, url: api.url }), TERM: "xterm-256color" };
  const child = spawn(
    "script",
    ["-qfec", `stty cols 100 rows 30; exec ${line} --permission-mode default`, "/dev/null"],
    { cwd, env },
  );
  child.screen = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (child.screen = (child.screen + text).slice(-20_000)));
  return child;
}

function startLive() {
  const env = { ...process.env, HOME: home, CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: join(home, "data"), CI: "1" };
  const child = spawn(process.execPath, [TURNLOG, "live", "--watch", "--json", "--interval", "0.2"], { env });
  child.stderr.pipe(process.stderr);
  const told = { child, rows: [] };
  createInterface({ input: child.stdout }).on("line", (line) => (told.rows = JSON.parse(line)));
  return told;
}

async function type(text) {
  client.stdin.write(text);
  await sleep(300);
  client.stdin.write("\r");
}

/**
 * Until the dialog is gone: it takes keys a moment after it is registered. What is typed right after Escape would be taken for a key
 * of its own.
 */
async function press(key) {
  for (let tries = 0; tries < 10 && entry()?.status === "waiting"; tries += 1) {
    client.stdin.write(key);
    await sleep(1000);
  }
}

/** From what the client registers to what `live` prints. */
async function expectState(name, act, wanted) {
  await act();
  const until = Date.now() + PATIENCE_MS;
  let registeredAt;
  while (Date.now() < until) {
    if (registeredAt === undefined && isRegistered(wanted)) registeredAt = Date.now();
    const row = live.rows.find(({ source, process: own }) => own !== null || source !== "files");
    if (row?.state === wanted.state && (wanted.waitsFor === undefined || row.waitsFor === wanted.waitsFor)) {
      const late = registeredAt === undefined ? 0 : Date.now() - registeredAt;
      console.log(
        `ok    ${name}: ${row.state}${row.waitsFor ? ` for ${row.waitsFor}` : ""}, ${late} ms after it was registered${row.detail ? ` (${row.detail})` : ""}`,
      );
      if (late > 1000) failures += 1;
      return;
    }
    await sleep(20);
  }
  failures += 1;
  console.log(`FAIL  ${name}: wanted ${JSON.stringify(wanted)}, told ${JSON.stringify(live.rows)}`);
  console.log(client.screen.replaceAll("\u001b", "^").slice(-1500));
}

/** The client writes a prompt a moment after it began to work. */
async function untilWritten(text) {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until && !live.rows.some(({ lastLine }) => lastLine === text)) await sleep(50);
}

function isRegistered({ state, waitsFor }) {
  const { status, waitingFor } = entry() ?? {};
  if (state === "failed") return true;
  if (state === "working") return status === "busy";
  if (waitsFor === "prompt") return status === "idle";
  return status === "waiting" && waitingFor === (waitsFor === "answer" ? "input needed" : "permission prompt");
}

function entry() {
  const folder = join(config, "sessions");
  try {
    const name = readdirSync(folder).find((file) => /^\d+\.json$/.test(file));
    return name && JSON.parse(readFileSync(join(folder, name), "utf8"));
  } catch {
    return undefined; // not there yet, or being written
  }
}

function ownProcess() {
  return entry().pid;
}

async function countFalseWaiting() {
  let wrong = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    if (live.rows.some(({ state }) => state === "waiting")) wrong += 1;
    await sleep(50);
  }
  console.log(`${wrong === 0 ? "ok  " : "FAIL"}  ${wrong} of ${SAMPLES} samples said "waiting" while it worked`);
  failures += wrong;
}
