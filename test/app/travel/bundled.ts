import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type OpenBundle, openBundle } from "../../../src/edit/travel/bundle/open-bundle.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

/** A machine of its own: a home folder, Claude Code's folder in it, a data folder. */
export interface Machine {
  readonly home: string;
  readonly root: string;
  readonly env: Record<string, string>;
}

export function machine(): Machine {
  const home = temporaryFolder();
  const root = join(home, ".claude");
  mkdirSync(root);
  return { home, root, env: { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: join(home, "data") } };
}

/** Runs with the home folder of the machine, which every part of turnlog asks the system for. */
export async function onMachine({ home, env }: Machine, ...args: readonly string[]) {
  const before = process.env["HOME"];
  process.env["HOME"] = home;
  try {
    return await runCli(args, env, { cwd: home });
  } finally {
    process.env["HOME"] = before;
  }
}

/** A session in a project folder of the machine, and files of it. */
export function putSession(
  { root }: Machine,
  slug: string,
  id: string,
  files: Readonly<Record<string, string>>,
): string {
  for (const [name, text] of Object.entries(files)) {
    const path = name.startsWith("file-history/") ? join(root, name) : join(root, "projects", slug, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return join(root, "projects", slug, `${id}.jsonl`);
}

export function copyInto({ root }: Machine, from: string): void {
  if (existsSync(from)) cpSync(from, root, { recursive: true });
}

/** A repository with a remote, as far as its files tell. */
export function makeRepository(folder: string, remote: string): string {
  mkdirSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(folder, ".git", "config"), `[remote "origin"]\n\turl = ${remote}\n`);
  return folder;
}

async function opened(path: string): Promise<OpenBundle> {
  const bundle = await openBundle(path, undefined);
  onTestFinished(() => bundle.close());
  return bundle;
}

/** The content of every file of a bundle, by session and name. */
export async function contentsOf(path: string): Promise<Map<string, string>> {
  const bundle = await opened(path);
  return new Map(
    bundle.manifest.sessions.flatMap(({ id, files }) =>
      files.map((file): [string, string] => [
        `${file.place} ${file.name.replaceAll(id, "<id>")}`,
        readFileSync(bundle.pathOf(file), "latin1"),
      ]),
    ),
  );
}
