import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Place, type RecordedFile, readRecorded } from "./chat-world.js";
import type { MockApi } from "./mock-api.js";

export const BIN = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");

export interface ChatRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SpawnedChat {
  readonly child: ChildProcess;
  readonly end: Promise<ChatRun>;
}

export function chatEnvironment(place: Place, api: Pick<MockApi, "url">): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: place.home,
    TMPDIR: process.env["TMPDIR"],
    CLAUDE_CONFIG_DIR: place.configRoot,
    TURNLOG_DATA_DIR: place.dataDir,
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: api.url,
  };
}

/** The built program in a home of its own, against a mock API. With null its input stays open. */
export function spawnChat(
  args: readonly string[],
  place: Place,
  api: Pick<MockApi, "url">,
  stdin: string | null = "",
): SpawnedChat {
  const child = spawn(process.execPath, [BIN, "chat", ...args], {
    cwd: place.project,
    env: chatEnvironment(place, api),
    stdio: ["pipe", "pipe", "pipe"],
  });
  if (stdin !== null) child.stdin.end(stdin);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text: Buffer) => {
    stdout += text.toString();
  });
  child.stderr.on("data", (text: Buffer) => {
    stderr += text.toString();
  });
  const end = new Promise<ChatRun>((done) => {
    child.once("close", (exitCode, signal) => done({ exitCode, signal, stdout, stderr }));
  });
  return { child, end };
}

export function runChat(
  args: readonly string[],
  place: Place,
  api: Pick<MockApi, "url">,
  stdin = "",
): Promise<ChatRun> {
  return spawnChat(args, place, api, stdin).end;
}

export function sessionFiles({ configRoot }: Place): readonly string[] {
  return readdirSync(join(configRoot, "projects"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl") && !name.includes("agent-"))
    .map((name) => join(configRoot, "projects", name));
}

/** The only session that was recorded there. */
export function onlySession(place: Place): RecordedFile {
  const files = sessionFiles(place);
  if (files[0] === undefined || files.length > 1) throw new Error(`${files.length} sessions were recorded`);
  return readRecorded(files[0]);
}
