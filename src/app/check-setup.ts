import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { UserError } from "../errors.js";
import { findSessions } from "../library/sources/find-sessions.js";
import { findFailedBuild } from "../library/sync/background.js";
import { formatCount } from "../render/format-values.js";
import { ensureDataDir } from "../store/data-dir.js";
import { type Check, checkStore } from "./check-store.js";
import { findComingLoss } from "./organize/coming-loss.js";
import { findMovedProjects } from "./organize/moved-projects.js";
import { checkSync } from "./organize/sync-status.js";
import { quoteForShell } from "./resume-command.js";
import { type RootOptions, sessionRoots } from "./session-roots.js";
import { dataFolderOf, type Environment } from "./settings.js";

interface CheckOptions extends RootOptions {
  /** Mends what is damaged and can be mended. */
  readonly fix?: boolean;
}

/** Checks everything turnlog needs. Nothing is sent, and no key is shown. */
export async function runChecks(environment: Environment, options: CheckOptions): Promise<readonly Check[]> {
  return [
    checkNode(),
    checkDataFolder(environment),
    ...(await checkStore(dataFolderOf(environment), options.fix ?? false)),
    ...checkIndex(environment),
    ...(await checkSessions(environment, options)),
    ...(await checkCleanup(environment, options)),
    ...(await orUnconfigured([], () => checkSync(environment, options))),
    ...(await checkProjects(environment, options)),
    checkKey(environment),
    checkAddress(environment),
    await checkRipgrep(),
    checkProgram("git", "chat uses it to describe the repository to the model", "install git"),
    checkProgram("bash", "chat runs commands with it", "install bash"),
    checkProgram("claude", "Claude Code itself", "only needed to resume sessions in Claude Code"),
  ];
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isFine = major > 20 || (major === 20 && minor >= 19);
  const found = `Node ${process.versions.node}`;
  return isFine
    ? { name: "node", state: "ok", found }
    : { name: "node", state: "failed", found, hint: "turnlog needs Node 20.19 or later" };
}

function checkDataFolder(environment: Environment): Check {
  const name = "data folder";
  const folder = dataFolderOf(environment);
  try {
    accessSync(ensureDataDir(folder), constants.W_OK);
    return { name, state: "ok", found: folder };
  } catch {
    return {
      name,
      state: "failed",
      found: `${folder} is not writable`,
      hint: "set TURNLOG_DATA_DIR to a writable folder",
    };
  }
}

/** Only where something is wrong with it. */
function checkIndex(environment: Environment): readonly Check[] {
  const failure = findFailedBuild(dataFolderOf(environment));
  if (failure === undefined) return [];
  const hint = "commands read the session files instead; `turnlog index sync` tries it now";
  return [{ name: "index", state: "warning", found: `indexing in the background failed: ${failure}`, hint }];
}

async function checkSessions(environment: Environment, options: RootOptions): Promise<readonly Check[]> {
  return (await rootsOrNone(environment, options)).map((root) => {
    const name = "sessions";
    if (!existsSync(root))
      return {
        name,
        state: "warning",
        found: `${root} does not exist`,
        hint: "`turnlog chat` creates it; or name another with --config-dir",
      };
    const { sessions, problems } = findSessions([root]);
    const found = `${root}: ${formatCount(sessions.length, "session")}`;
    if (problems.length === 0) return { name, state: "ok", found };
    return {
      name,
      state: "warning",
      found,
      hint: `${formatCount(problems.length, "folder or file", "folders or files")} cannot be read`,
    };
  });
}

/** What Claude Code's own clean-up deletes within a week, while nothing keeps a copy. */
async function checkCleanup(environment: Environment, options: RootOptions): Promise<readonly Check[]> {
  const loss = await orUnconfigured(null, () => findComingLoss(environment, options));
  if (loss === null) return [];
  const found = `Claude Code deletes ${formatCount(loss.sessions, "session")} within 7 days`;
  const hint = "`turnlog archive on` keeps copies; `turnlog list --expiring` lists them";
  return [{ name: "clean-up", state: "warning", found, hint }];
}

function rootsOrNone(environment: Environment, options: RootOptions): Promise<readonly string[]> {
  return orUnconfigured([], () => sessionRoots(environment, options));
}

/** Projects whose folder was moved or renamed: Claude Code finds their sessions only under the new name. */
async function checkProjects(environment: Environment, options: RootOptions): Promise<readonly Check[]> {
  const roots = await rootsOrNone(environment, options);
  return roots
    .flatMap((root) => findMovedProjects(root, environment.cwd))
    .map(({ from, sessions, to: [first = "", ...others] }) => ({
      name: "project",
      state: "warning",
      found: `${from} is gone, with ${formatCount(sessions, "session")}; its repository is at ${[first, ...others].join(", ")}`,
      hint: `take the sessions along: turnlog move --project ${quoteForShell(from)} ${quoteForShell(first)}`,
    }));
}

/** A config.json that cannot be read is a check of its own. */
async function orUnconfigured<Answer>(none: Answer, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UserError && error.code === "config") return none;
    throw error;
  }
}

function checkKey({ env }: Environment): Check {
  const set = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].find((name) => env[name]);
  if (set !== undefined) return { name: "key", state: "ok", found: `${set} is set` };
  return {
    name: "key",
    state: "warning",
    found: "no API key",
    hint: "chat needs ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN",
  };
}

function checkAddress({ env }: Environment): Check {
  const address = env["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com";
  if (URL.canParse(address))
    return { name: "API", state: "ok", found: `${new URL(address).origin} (nothing was sent)` };
  return {
    name: "API",
    state: "failed",
    found: "ANTHROPIC_BASE_URL is not a URL",
    hint: "for example https://api.anthropic.com",
  };
}

async function checkRipgrep(): Promise<Check> {
  const name = "ripgrep";
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    const [version = ""] = execFileSync(rgPath, ["--version"], { encoding: "utf8" }).split("\n");
    return { name, state: "ok", found: version };
  } catch {
    return { name, state: "failed", found: "does not run", hint: "reinstall turnlog on this platform" };
  }
}

function checkProgram(name: string, use: string, hint: string): Check {
  try {
    const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 10_000 } as const;
    const [version = ""] = execFileSync(name, ["--version"], { ...options, stdio: [...options.stdio] }).split("\n");
    return { name, state: "ok", found: version };
  } catch {
    return { name, state: "warning", found: `not found (${use})`, hint };
  }
}
