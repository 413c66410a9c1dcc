import { readFileSync } from "node:fs";
import { join } from "node:path";
import { call, result } from "../builders/session-builder.js";
import { connectAgent } from "../cli/mcp-client.js";
import { runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { serveApp } from "../server/served-app.js";
import type { PlantedSession } from "./planted-session.js";

/** Who wrote a file full of secrets that the session wrote in its last turn, asked of everything that tells it. */
export async function blameAnswers({ path, id, plants }: PlantedSession, settings: object): Promise<string> {
  const some = plants.filter((_, at) => at % 6 === 0);
  const content = `${some.map(({ text }) => text).join("\n")}\n`;
  const file = join(temporaryFolder({ "a.env": content }), "a.env");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const [, last] = /"uuid":"([^"]+)"/.exec(lines.findLast((line) => /"type":"assistant"/.test(line)) ?? "") ?? [];
  const later = { sessionId: id, isSidechain: false, timestamp: "2027-01-01T00:00:00.000Z", cwd: "/home/dev/shop" };
  const written = { type: "create", filePath: file, content, originalFile: null, structuredPatch: [] };
  const rows = [
    { ...call("written", "Write", { file_path: file, content }), ...later, uuid: "w1", parentUuid: last },
    { ...result("written", "ok"), ...later, uuid: "w2", parentUuid: "w1", toolUseResult: written },
  ];
  const text = [...lines, ...rows.map((row) => JSON.stringify(row)), ""].join("\n");
  const root = temporaryFolder({ [`projects/-home-dev-shop/${id}.jsonl`]: text });
  const data = temporaryFolder({ "config.json": JSON.stringify(settings) });
  const printed: string[] = [];
  for (const more of [["--prompts"], ["--json"]]) {
    const { stdout, stderr } = await runCli(["blame", file, ...more], {
      CLAUDE_CONFIG_DIR: root,
      TURNLOG_DATA_DIR: data,
    });
    printed.push(stdout, stderr);
  }
  if (!printed.join("").includes(" by 1 turn of 1 session")) throw new Error(`nothing was told: ${printed.join("")}`);
  const { pages } = await connectAgent({ configDir: root }, settings);
  for (const { text: told, structured } of await pages("blame", { file }))
    printed.push(told, JSON.stringify(structured));
  const { get } = await serveApp({ configDir: root }, { settings });
  printed.push(await (await get(`/api/blame?${new URLSearchParams({ file })}`)).text());
  return printed.join("\n");
}
