import { cpSync, lutimesSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder } from "../format/temporary-folder.js";
import { PLANTED_ID, plantLibrary } from "./planted-library.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "demo");
const LONG_AGO = new Date("2026-05-02T03:04:05.678Z");

export interface OldLibrary {
  readonly root: string;
  readonly env: { readonly CLAUDE_CONFIG_DIR: string; readonly TURNLOG_DATA_DIR: string };
}

/** The demo sessions and one with every kind of side file, odd modes and a link among them; nothing of it is live. */
export function oldLibrary(): OldLibrary {
  const { root } = plantLibrary();
  cpSync(DEMO, root, { recursive: true });
  const project = join(root, "projects/-home-dev-shop");
  const side = join(project, PLANTED_ID);
  mkdirSync(join(side, "empty"), { mode: 0o711 });
  writeFileSync(join(side, "tool-results/locked.txt"), "read only\n", { mode: 0o400 });
  symlinkSync("locked.txt", join(side, "tool-results/link.txt"));
  const agent = { type: "user", sessionId: PLANTED_ID, isSidechain: true, message: { content: "beside" } };
  writeFileSync(join(project, "agent-0a1b2c3d.jsonl"), `${JSON.stringify(agent)}\n`);
  writeFileSync(join(project, "agent-0a1b2c3d.meta.json"), '{"agentType":"Explore"}');
  makeOld(root);
  return { root, env: { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() } };
}

function makeOld(folder: string): void {
  for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }).reverse())
    lutimesSync(join(parentPath, name), LONG_AGO, LONG_AGO);
}
