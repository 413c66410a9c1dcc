// Runs a real client with turnlog's hook and checks that it keeps to budgets. See docs/interop.md.
//   node scripts/interop-budget.mjs [--client 2.1.326]
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { clientCommand, runClient } from "./interop/clients.mjs";
import { startMockApi, textBlock } from "./interop/mock-api.mjs";

const TURNLOG = resolve(import.meta.dirname, "..", "dist", "bin.js");
const TIMEOUT_MS = 120_000;
/** About 0.80 USD an answer, at the price of the model that the client chooses. */
const OUTPUT_TOKENS = 40_000;
const MANY = 20;

const { values: options } = parseArgs({ options: { client: { type: "string", default: "2.1.326" } } });
const command = clientCommand(options.client);
const home = realpathSync(mkdtempSync(join(tmpdir(), "turnlog-budget-")));
const env = {
  PATH: process.env.PATH,
  HOME: home,
  CLAUDE_CONFIG_DIR: join(home, ".claude"),
  TURNLOG_DATA_DIR: join(home, "data"),
  CI: "1",
};
const api = await startMockApi(reply, { outputTokens: OUTPUT_TOKENS });
let failures = 0;
let clientUsd = 0;
let calls = 0;
try {
  for (const name of ["shop", "docs", ".claude"]) mkdirSync(join(home, name));
  turnlog("budget", "install", "--yes");
  await softWarns();
  await hardStops();
  await overridePasses();
  await agentsCount();
} finally {
  api.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = failures > 0 ? 1 : 0;

async function softWarns() {
  turnlog("budget", "set", "2/day", "--project", "shop", "--warn", "30%");
  const first = await ask("shop", "one");
  check("below the share nothing is said", !first.output.includes("turnlog:"));
  const second = await ask("shop", "two");
  check(
    "a soft budget warns in the session",
    second.output.includes("of the budget of $2.00 a day in shop is spent (40 %)"),
  );
  await ask("shop", "three");
  const fourth = await ask("shop", "four");
  check(
    "a soft budget that is spent says so and lets the prompt pass",
    fourth.output.includes("the budget of $2.00 a day in shop is spent ($2.40)") && fourth.requests === 1,
  );
  agreesWithStats("after a soft budget");
}

async function hardStops() {
  const usd = (spent("shop") + 1.2).toFixed(2);
  turnlog("budget", "set", `${usd}/day`, "--project", "shop", "--hard");
  const tools = await ask("shop", "[[tools]] many", "--allowedTools", "Bash");
  check(
    `a hard budget stops tool calls when it is reached (${tools.requests} requests)`,
    tools.requests === 2 && tools.output.includes("the hard budget of"),
  );
  const next = await ask("shop", "five");
  check(
    "a hard budget stops the next prompt before anything is asked of the model",
    next.requests === 0 && next.output.includes("the hard budget of"),
  );
  const other = await ask("docs", "[[tools]] few", "--allowedTools", "Bash");
  check("another project goes on", other.requests > 2 && !other.output.includes("turnlog:"));
  agreesWithStats("after a hard budget");
}

async function overridePasses() {
  turnlog("budget", "override");
  const once = await ask("shop", "six");
  check("an override lets one prompt pass", once.requests === 1);
  const again = await ask("shop", "seven");
  check("and only one", again.requests === 0);
}

async function agentsCount() {
  turnlog("budget", "remove", "day", "--project", "shop");
  turnlog("budget", "set", "100/day");
  await ask("shop", "[[agent]] delegate", "--allowedTools", "Task,Agent");
  agreesWithStats("with a sub-agent");
}

function reply({ messages }) {
  const text = JSON.stringify(messages);
  if (text.includes("[[tools]]")) {
    const limit = text.includes("few") ? 3 : MANY;
    const done = text.split('"tool_result"').length - 1;
    if (done < limit) return [toolUse("Bash", { command: `echo ${calls++}`, description: "Count" })];
  }
  if (text.includes("[[agent]]") && !text.includes('"tool_result"') && !text.includes("[[below]]"))
    return [
      toolUse("Agent", { subagent_type: "general-purpose", description: "Look", prompt: "[[below]] look around" }),
    ];
  return [textBlock("Understood.")];
}

function toolUse(name, input) {
  return { type: "tool_use", id: `toolu_${Math.random().toString(36).slice(2)}`, name, input };
}

async function ask(project, prompt, ...more) {
  const before = api.requests.length;
  const { code, output } = await runClient({
    command,
    cwd: join(home, project),
    args: ["-p", "--output-format", "stream-json", "--verbose", ...more, "--", prompt],
    timeoutMs: TIMEOUT_MS,
    home,
    url: api.url,
    variables: { TURNLOG_DATA_DIR: env.TURNLOG_DATA_DIR },
  });
  if (code !== 0) check(`${prompt}: the client ends with 0, not ${code}: ${output.slice(-500)}`, false);
  clientUsd += Number([...output.matchAll(/"total_cost_usd":([\d.e-]+)/g)].at(-1)?.[1] ?? 0);
  return { output, requests: api.requests.length - before };
}

/** The budget's sum, the statistics, and what the client itself said. */
function agreesWithStats(when) {
  const rows = JSON.parse(turnlog("budget", "--json"));
  for (const { project, spentUsd } of rows) {
    const wanted = JSON.parse(turnlog("stats", "--json", "--wait", ...(project === null ? [] : ["--project", project])))
      .totals.knownCostUsd;
    check(`${when}: the budget and stats say $${wanted.toFixed(4)}`, spentUsd === wanted);
  }
  const all = JSON.parse(turnlog("stats", "--json", "--wait")).totals.knownCostUsd;
  check(`${when}: Claude Code itself says $${clientUsd.toFixed(4)}`, Math.abs(all - clientUsd) < 0.005);
}

function spent(project) {
  return JSON.parse(turnlog("budget", "--json")).find((row) => row.project === project).spentUsd;
}

function turnlog(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TURNLOG, ...args], {
    env,
    cwd: home,
    encoding: "utf8",
  });
  if (status !== 0) check(`turnlog ${args.join(" ")} ends with 0: ${stderr}`, false);
  return stdout;
}

function check(name, isTrue) {
  console.log(`${isTrue ? "ok  " : "FAIL"}  ${name}`);
  if (!isTrue) failures += 1;
}
