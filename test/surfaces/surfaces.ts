import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { connectAgent } from "../cli/mcp-client.js";
import { runCli } from "../cli/run-cli.js";
import { startSummaryApi } from "../cli/summary-api.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { serveApp } from "../server/served-app.js";
import { blameAnswers } from "./blamed-file.js";
import type { PlantedSession } from "./planted-session.js";

/** What somebody gets to see of a session, run as a user would run it: with default options. */
export type Surface = (session: PlantedSession, settings: object) => Promise<string>;

/** Words that stand near secrets, so that hits show them. */
const WORDS = ["key", "token", "password", "secret", "please", "PRIVATE"];

const run =
  (...args: string[]): Surface =>
  async ({ root, id }, settings) => {
    const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: dataFolder(settings), ANTHROPIC_API_KEY: "none" };
    const { stdout, stderr } = await runCli(
      args.map((arg) => (arg === "ID" ? id : arg)),
      env,
      { columns: 120 },
    );
    return `${stdout}\n${stderr}`;
  };

const all =
  (...surfaces: readonly Surface[]): Surface =>
  async (session, settings) => {
    const texts: string[] = [];
    for (const surface of surfaces) texts.push(await surface(session, settings));
    return texts.join("\n");
  };

const searched = (...more: string[]) => all(...WORDS.map((word) => run("search", word, ...more)));

export const SURFACES: Readonly<Record<string, Surface>> = {
  "export html": run("export", "ID", "--format", "html"),
  "export md": run("export", "ID", "--format", "md"),
  "export json": run("export", "ID", "--format", "json"),
  "export jsonl": run("export", "ID", "--format", "jsonl"),
  "export api": run("export", "ID", "--format", "api"),
  "export cast": async (session, settings) =>
    castText(await run("export", "ID", "--format", "cast")(session, settings)),
  redact: redactedFiles,
  bundle: bundledFiles,
  handoff: all(run("handoff", "ID", "--max-tokens", "20000"), run("handoff", "ID", "--json")),
  "handoff --model": modelHandoff,
  "appendix of a pull request": all(
    run("show", "--pr", "7"),
    run("show", "--pr", "7", "--json"),
    ...["md", "html", "json"].map((format) => run("export", "--pr", "7", "--format", format)),
  ),
  sync: syncedFiles,
  "redact --dry-run": run("redact", "ID", "--dry-run"),
  "trace and metrics (JSON)": (session, settings) => tracedRequests(session, settings, "http/json"),
  "trace and metrics (protobuf)": (session, settings) => tracedRequests(session, settings, "http/protobuf"),
  "trace --dry-run": run("trace", "send", "ID", "--dry-run"),
  mcp: mcpAnswers,
  "web UI": webAnswers,
  scan: all(run("scan"), run("scan", "ID", "--json")),
  show: run("show", "ID"),
  "show in full": run("show", "ID", "--tools", "full", "--thinking", "--branch", "all"),
  "show --json": run("show", "ID", "--json"),
  "show --events": all(run("show", "ID", "--events"), run("show", "ID", "--events", "--json")),
  follow: run("follow", "ID", "--turns", "99", "--until-idle", "0.2"),
  "follow --json": run("follow", "ID", "--turns", "99", "--until-idle", "0.2", "--json"),
  list: all(run("list"), run("list", "--json")),
  search: all(searched(), searched("--json")),
  stats: all(
    ...[run("stats"), run("stats", "--json")],
    ...["session", "branch", "pr", "commit"].map((table) => run("stats", "--by", table)),
  ),
  files: all(run("files", "ID"), run("files", "ID", "--diff"), run("files", "ID", "--json")),
  blame: blameAnswers,
  "diff and lineage": all(run("diff", "ID", "ID"), run("diff", "ID", "ID", "--json"), run("lineage")),
  verify: all(run("verify", "ID"), run("verify", "ID", "--json")),
  delete: all(run("delete", "ID", "--dry-run", "--force"), run("delete", "ID", "--dry-run", "--force", "--json")),
};

function dataFolder(settings: object): string {
  return temporaryFolder({ "config.json": JSON.stringify(settings) });
}

/** What the screen showed, joined: a player types it piece by piece. */
function castText(cast: string): string {
  const events = cast.split("\n").filter((line) => line.startsWith("["));
  return events.map((line) => (JSON.parse(line) as [number, string, string])[2]).join("");
}

async function redactedFiles(session: PlantedSession, settings: object): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "copy"));
  const printed = await run("redact", "ID", "-o", join(folder, "copy", "shared.jsonl"))(session, settings);
  return printed + textsBelow(folder);
}

/** As tar shows them, and what the command prints. */
async function bundledFiles(session: PlantedSession, settings: object): Promise<string> {
  const path = join(temporaryFolder(), "shared.tar.gz");
  const printed = await run("bundle", "ID", "-o", path)(session, settings);
  return printed + gunzipSync(readFileSync(path)).toString("utf8");
}

/** What the model gets, and what is printed of its answer. */
async function modelHandoff(session: PlantedSession, settings: object): Promise<string> {
  const { url, requests } = await startSummaryApi("## Goal\n\n- to be done");
  const args = ["handoff", "ID", "--model", "m", "--yes", "--base-url", url];
  const printed = await run(...args)(session, settings);
  if (requests.length === 0) throw new Error(`nothing was sent: ${printed}`);
  return printed + requests.join("\n");
}

/** What another machine gets. */
async function syncedFiles(session: PlantedSession, settings: object): Promise<string> {
  const [shared, other] = [temporaryFolder(), temporaryFolder({ "claude/projects/x": "" })];
  const printed = await run("sync", shared, "--redact")(session, settings);
  const env = { CLAUDE_CONFIG_DIR: join(other, "claude"), TURNLOG_DATA_DIR: join(other, "data") };
  const { stdout } = await runCli(["sync", shared], env);
  if (!stdout.includes("1 session")) throw new Error(`nothing arrived: ${printed}${stdout}`);
  return printed + textsBelow(other) + textsBelow(shared);
}

function textsBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), "utf8")}`)
    .join("\n");
}

async function tracedRequests(session: PlantedSession, settings: object, protocol: string): Promise<string> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    bodies.push(gunzipSync(Buffer.concat(pieces)).toString("utf8"));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = { name: "local", kind: "otlp", endpoint, protocol, attributes: "all", metrics: true };
  const printed = await run("trace", "send", "ID")(session, { ...settings, trace: { targets: [target] } });
  if (bodies.length !== 2) throw new Error(`spans and metrics were not sent: ${printed}`);
  return printed + bodies.join("\n");
}

async function mcpAnswers({ root, id }: PlantedSession, settings: object): Promise<string> {
  const { pages } = await connectAgent({ configDir: root }, settings);
  const ask = async (tool: string, args: Record<string, unknown> = {}) =>
    (await pages(tool, args)).map(({ text, structured }) => `${text}\n${JSON.stringify(structured)}`).join("\n");
  const answers = [
    await ask("list_sessions"),
    await ask("session_outline", { session: id }),
    await ask("session_turns", { session: id, from: 1, to: 99 }),
    await ask("files_touched", { session: id }),
    await ask("changed_files", { session: id }),
    await ask("session_brief", { session: id, maxTokens: 3500 }),
    await ask("usage_stats"),
    await ask("usage_stats", { by: "commit" }),
  ];
  for (const query of WORDS) answers.push(await ask("search_sessions", { query }));
  return answers.join("\n");
}

async function webAnswers({ root, id, path }: PlantedSession, settings: object): Promise<string> {
  const { get, post } = await serveApp({ configDir: root }, { settings });
  const session = `/api/sessions/${id}`;
  const lines = readFileSync(path, "utf8").trimEnd().split("\n").length;
  const routes = [
    ...["/api/start", "/api/sessions", "/api/facets", "/api/stats?by=commit", "/api/trash"],
    ...["", "/opening", "/turns", "/context", "/edit/calls", "/trace", "/subagents/a1b2c3d/turns"].map(
      (part) => session + part,
    ),
    ...["html", "md", "json", "jsonl", "api", "cast"].map((format) => `${session}/export?format=${format}`),
    ...Array.from({ length: lines }, (_, at) => `${session}/raw?line=${at + 1}`),
    ...[
      `/api/files?session=${id}`,
      `/api/files/diff?session=${id}`,
      `/api/changes?session=${id}`,
      `${session}/context/window`,
      `/api/compare?a=${id}&b=${id}`,
    ],
    ...WORDS.flatMap((word) => [`/api/search?q=${word}`, `/api/search?q=${word}&typing=1&session=${id}`]),
  ];
  const answers: string[] = [];
  for (const route of routes) answers.push(await (await get(route)).text());
  for (const command of ["redact", "prune", "compress", "uncompact"]) {
    answers.push(await (await post(`${session}/edit/preview`, { command })).text());
  }
  const travel = { as: "session", maxTokens: "20000" };
  answers.push(await (await post(`${session}/handoff/preview`, travel)).text());
  answers.push(await (await post(`${session}/handoff/preview`, { ...travel, as: "text" })).text());
  answers.push(await (await post(`${session}/move/preview`, { to: "/tmp/elsewhere", rewriteCwd: true })).text());
  answers.push(await (await post("/api/bundle/preview", { ids: [id] })).text());
  answers.push(
    gunzipSync(Buffer.from(await (await post("/api/bundle", { ids: [id] })).arrayBuffer())).toString("utf8"),
  );
  answers.push(await (await post(`${session}/export/preview`, { format: "md" })).text());
  return answers.join("\n");
}

/** Settings with patterns of the user's own, in a file. */
export function ownPatterns(patterns: object): object {
  const path = join(temporaryFolder(), "patterns.json");
  writeFileSync(path, JSON.stringify(patterns));
  return { redact: { patternsFile: path } };
}
