#!/usr/bin/env node
// A run of Claude Code as it was recorded: writes the session, then runs the hooks of the settings as Claude Code does at its end.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const { HOME = "", RECORDED_SESSION = "", CLAUDE_EXIT = "0", LANGFUSE_SECRET_KEY = "none" } = process.env;
const [config, project] = [join(HOME, ".claude"), join(HOME, ".claude", "projects", "-p")];
mkdirSync(project, { recursive: true });
const transcript = join(project, basename(RECORDED_SESSION));
copyFileSync(RECORDED_SESSION, transcript);
const settings = join(config, "settings.json");
const { hooks = {} } = existsSync(settings) ? JSON.parse(readFileSync(settings, "utf8")) : {};
for (const event of ["Stop", "SessionEnd"]) {
  const input = JSON.stringify({ hook_event_name: event, transcript_path: transcript, cwd: process.cwd() });
  for (const { command } of (hooks[event] ?? []).flatMap((matcher) => matcher.hooks)) {
    spawnSync(command, { shell: true, input });
  }
}
process.stdout.write(`${JSON.stringify(process.argv.slice(2))} with key ${LANGFUSE_SECRET_KEY}\n`);
process.exitCode = Number(CLAUDE_EXIT);
