// Installs the plugin in a real client and runs it against a mock of the API. See docs/plugin.md.
//   node scripts/interop-plugin.mjs [--client 2.1.326]
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { clientCommand, runClient } from "./interop/clients.mjs";
import { startMockApi, textBlock } from "./interop/mock-api.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const SERVER = "mcp__plugin_turnlog_turnlog__";
const TIMEOUT_MS = 120_000;
const PATIENCE_MS = 30_000;

const { values: options } = parseArgs({ options: { client: { type: "string", default: "2.1.326" } } });
const command = clientCommand(options.client);
const home = realpathSync(mkdtempSync(join(tmpdir(), "turnlog-plugin-")));
const [cwd, data, programs] = [join(home, "project"), join(home, "data"), join(home, "programs")];
for (const folder of [cwd, data, programs, join(home, ".claude")]) mkdirSync(folder);
writeFileSync(
  join(programs, "turnlog"),
  `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "dist", "bin.js")}' "$@"\n`,
);
chmodSync(join(programs, "turnlog"), 0o755);
const api = await startMockApi(reply);
const receiver = await startReceiver();
let failures = 0;
try {
  await checkManifests();
  await install();
  await checkSession();
  await checkBothHooks();
  await checkWithoutTurnlog();
} finally {
  api.close();
  receiver.close();
  await sleep(500);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = failures > 0 ? 1 : 0;

async function checkManifests() {
  for (const path of [ROOT, join(ROOT, "plugin")]) {
    const { code, output } = await client(["plugin", "validate", "--strict", path]);
    check(code === 0, `${path === ROOT ? "marketplace" : "plugin"} passes \`claude plugin validate --strict\``, output);
  }
}

async function install() {
  const added = await client(["plugin", "marketplace", "add", ROOT]);
  check(added.code === 0, "the marketplace is added", added.output);
  const installed = await client(["plugin", "install", "turnlog@turnlog"]);
  check(installed.code === 0, "the plugin is installed", installed.output);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const listed = await client(["plugin", "list", "--json"]);
  const found = parsed(listed.output).find(({ id }) => id === "turnlog@turnlog");
  check(found?.version === version && found?.enabled === true, `it is enabled, version ${version}`, listed.output);
  const config = {
    trace: { targets: [{ name: "local", kind: "otlp", endpoint: receiver.url, protocol: "http/json" }] },
  };
  writeFileSync(join(data, "config.json"), JSON.stringify(config));
}

async function checkSession() {
  const { lines, requests } = await ask("/turnlog:search apple crumble");
  const start = lines.find(({ type, subtype }) => type === "system" && subtype === "init") ?? {};
  const server = (start.mcp_servers ?? []).find(({ name }) => name.includes("turnlog"));
  check(server?.status === "connected", "its MCP server is connected", start.mcp_servers);
  const names = ["search_sessions", "session_turns", "session_brief", "changed_files", "usage_stats"];
  const missing = names.filter((name) => !(start.tools ?? []).includes(SERVER + name));
  check(missing.length === 0, `the client has ${names.length} of its tools by name`, missing);
  const commands = [...(start.slash_commands ?? []), ...(start.skills ?? [])];
  const own = ["turnlog:search", "turnlog:handoff", "turnlog:past-sessions"].filter((name) => commands.includes(name));
  check(own.length === 3, `it knows ${own.join(", ")}`, commands);
  const asked = JSON.stringify(requests[0]?.messages ?? []);
  check(asked.includes("in past Claude Code sessions: apple crumble"), "/turnlog:search expands to its prompt", asked);
  const told = JSON.stringify(requests.at(-1)?.messages ?? []);
  check(told.includes("tool_result") && told.includes("sessions"), "a tool of the server answers the model", told);
  const hooks = lines.filter(({ subtype }) => subtype === "hook_response");
  const isQuiet = hooks.every(({ exit_code, stdout, stderr }) => exit_code === 0 && `${stdout}${stderr}` === "");
  check(hooks.length > 0 && isQuiet, "its hook ran and said nothing", hooks);
  await expectTurns(1, "the plugin's hook sends the turn once");
  const brief = await ask("/turnlog:handoff");
  const id = brief.lines.find(({ subtype }) => subtype === "init")?.session_id ?? "no session";
  const prompt = JSON.stringify(brief.requests[0]?.messages ?? []);
  check(
    prompt.includes(`session_brief\` with \`${id}\``),
    "/turnlog:handoff names the session that asks",
    prompt.slice(-1500),
  );
}

async function checkBothHooks() {
  const settings = { hooks: { Stop: [hook()], SessionEnd: [hook()], SessionStart: [hook()] } };
  const path = join(home, ".claude", "settings.json");
  const before = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  writeFileSync(path, JSON.stringify({ ...before, ...settings }));
  await ask("say something");
  await expectTurns(3, "with the hook in the settings too, the next turn is sent once");
  writeFileSync(path, JSON.stringify(before));
}

function hook() {
  return { hooks: [{ type: "command", command: `"${join(programs, "turnlog")}" hook`, timeout: 10 }] };
}

async function checkWithoutTurnlog() {
  const { code, lines } = await ask("say something", {
    PATH: `${dirname(process.execPath)}${delimiter}/usr/bin${delimiter}/bin`,
  });
  const end = lines.find(({ type }) => type === "result");
  check(code === 0 && end?.is_error === false, "without turnlog on the PATH the session goes on", lines);
  const said = lines.filter(
    ({ subtype, stdout }) => subtype === "hook_response" && stdout?.includes("not on the PATH"),
  );
  check(said.length === 1, "and the hook says once that it is missing", said);
}

/** Calls one of the tools once for each prompt that asks for a search. */
async function reply({ messages }) {
  const last = JSON.stringify(messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1));
  if (!last.includes("apple crumble")) return [textBlock("Understood.")];
  const id = `toolu_${Math.random().toString(36).slice(2)}`;
  return [{ type: "tool_use", id, name: `${SERVER}list_sessions`, input: { limit: 3 } }];
}

async function ask(prompt, variables = {}) {
  const from = api.requests.length;
  const args = [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--allowedTools",
    `${SERVER}list_sessions`,
    "--",
    prompt,
  ];
  const { code, output } = await client(args, variables);
  const lines = output.split("\n").flatMap((line) => (line.startsWith("{") ? [parsed(line)] : []));
  const requests = api.requests.slice(from).filter(({ tools }) => (tools ?? []).length > 0);
  return { code, lines, requests };
}

function client(args, variables = {}) {
  const own = { PATH: `${programs}${delimiter}${process.env.PATH}`, TURNLOG_DATA_DIR: data, CI: "1", ...variables };
  return runClient({ command, cwd, args, timeoutMs: TIMEOUT_MS, home, url: api.url, variables: own });
}

/** Takes spans as OTLP JSON and keeps the names of turns. */
async function startReceiver() {
  const turns = [];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const { gunzipSync } = await import("node:zlib");
    const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
    for (const [, id] of text.matchAll(/"spanId":"(\w+)"[^{}]*?"name":"Turn \d+"/g)) turns.push(id);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, turns, close: () => server.close() };
}

async function expectTurns(count, name) {
  const until = Date.now() + PATIENCE_MS;
  while (receiver.turns.length < count && Date.now() < until) await sleep(200);
  await sleep(3000); // a second one would come now
  check(receiver.turns.length === count, name, receiver.turns);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}

function check(isRight, name, details) {
  console.log(`${isRight ? "ok  " : "FAIL"}  ${name}`);
  if (isRight) return;
  failures += 1;
  console.log(`      ${(typeof details === "string" ? details : (JSON.stringify(details) ?? "")).slice(0, 1500)}`);
}
