import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ChatOptions, Person, SessionChoice } from "../../agent/chat-options.js";
import type { ChatEvent } from "../../agent/conversation/chat-event.js";
import { createAnthropicModel, type Thinking } from "../../agent/model/anthropic-model.js";
import { DEFAULT_MODEL, modelFacts, resolveModel } from "../../agent/model/model-facts.js";
import { toMode } from "../../agent/permissions/chat-settings.js";
import { splitRules } from "../../agent/permissions/rule.js";
import { chooseSession } from "../../app/choose-session.js";
import { loadOptions } from "../../app/load-options.js";
import { refuseReceived } from "../../app/organize/received-sessions.js";
import { sessionRoots } from "../../app/session-roots.js";
import { dataFolderOf } from "../../app/settings.js";
import { VERSION } from "../../app/version.js";
import { UserError } from "../../errors.js";
import { projectFolders, sharedProjectName } from "../../format/layout/config-dirs.js";
import { isSessionId } from "../../format/layout/session-paths.js";
import { listSessionFiles } from "../../format/layout/sessions-of-project.js";
import { readRecords } from "../../format/reader/record-reader.js";
import { homeFolder } from "../../own-user.js";
import { readConfig } from "../../store/config.js";
import { makeTemporaryFolder } from "../../store/temporary.js";
import type { Io } from "../io.js";
import type { ChatFlags } from "./chat-flags.js";

export async function toChatOptions(
  flags: ChatFlags,
  io: Io,
  { listen, person }: { listen: (event: ChatEvent) => void; person: Person | undefined },
): Promise<ChatOptions> {
  if (flags.demo) throw new UserError("usage", "--demo cannot be used with chat", "omit it");
  const [configRoot] = await sessionRoots(io, flags);
  if (configRoot === undefined)
    throw new UserError("config", "no folder to record sessions in", "name one with --config-dir");
  const { prices } = await loadOptions(io);
  const mode = flags.permissionMode === undefined ? undefined : toMode(flags.permissionMode);
  const modelName = resolveModel(flags.model || io.env["ANTHROPIC_MODEL"] || DEFAULT_MODEL);
  const isRecorded = !isRecordingOff(io.env, person !== undefined);
  if (!isRecorded) io.warn("Claude Code's variables switch recording off: this conversation is not kept");
  return {
    cwd: io.cwd,
    home: homeFolder(),
    configRoot,
    recordRoot: isRecorded ? undefined : makeTemporaryFolder("chat"),
    projectDir: projectFolders(configRoot, io.cwd, io.env)[0],
    dataDir: dataFolderOf(io),
    ownVersion: VERSION,
    model: connect(flags, io, modelName),
    modelName,
    session: await chooseChatSession(flags, configRoot, io),
    listen,
    effort: flags.effort,
    mode,
    allow: (flags.allowedTools ?? []).flatMap(splitRules),
    deny: (flags.disallowedTools ?? []).flatMap(splitRules),
    additionalDirectories: (flags.addDir ?? []).map((folder) => toFolder(folder, io)),
    appendSystemPrompt: flags.appendSystemPrompt,
    maxTurns: toCount("--max-turns", flags.maxTurns),
    maxCost: toNumber("--max-cost", flags.maxCost),
    maxTokensTotal: toCount("--max-tokens-total", flags.maxTokensTotal),
    compactAt: toCount("--compact-at", flags.compactAt),
    trustsProject: flags.trustProject ?? false,
    hooks: flags.hooks,
    isNamed: person !== undefined && flags.title,
    layout: flags.layout,
    durability: flags.fsync,
    person,
    allowsPrivateAddresses: flags.allowPrivateAddresses ?? false,
    sandbox: await toSandbox(flags, io),
    prices,
  };
}

async function toSandbox(flags: ChatFlags, io: Io): Promise<ChatOptions["sandbox"]> {
  const { sandbox: config = {} } = await readConfig(dataFolderOf(io));
  const isWanted = flags.sandbox ?? config.enabled ?? false;
  const extra = flags.sandboxNetwork ? "--sandbox-network" : flags.sandboxUnixSockets && "--sandbox-unix-sockets";
  if (!isWanted && extra) throw new UserError("usage", `${extra} is for --sandbox`, "add --sandbox, or omit it");
  if (!isWanted) return undefined;
  return {
    allowsNetwork: flags.sandboxNetwork ?? config.network ?? false,
    allowsUnixSockets: flags.sandboxUnixSockets ?? config.unixSockets ?? false,
    readable: config.readable ?? [],
  };
}

/**
 * Whether Claude Code would keep no transcript with these variables (2.1.326). It sets CLAUDE_CODE_CHILD_SESSION for what runs in
 * its own terminal; in tmux, and in a script, that does not count.
 */
export function isRecordingOff(env: Io["env"], isInteractive: boolean): boolean {
  if (isSet(env["CLAUDE_CODE_SKIP_PROMPT_HISTORY"])) return true;
  const isForced = isSet(env["CLAUDE_CODE_FORCE_SESSION_PERSISTENCE"]) || isSet(env["TMUX"]);
  return isInteractive && isSet(env["CLAUDE_CODE_CHILD_SESSION"]) && !isForced;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no", "off"].includes(value.trim().toLowerCase());
}

function connect(flags: ChatFlags, { env }: Io, modelName: string): ChatOptions["model"] {
  const apiKey = env["ANTHROPIC_API_KEY"] || undefined;
  const authToken = env["ANTHROPIC_AUTH_TOKEN"] || undefined;
  if (apiKey === undefined && authToken === undefined) {
    throw new UserError("config", "no API key", "set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN)");
  }
  const maxTokens = toCount("--max-tokens", flags.maxTokens);
  const idleMs = toNumber("TURNLOG_IDLE_MS", env["TURNLOG_IDLE_MS"]);
  return createAnthropicModel({
    apiKey,
    authToken,
    baseUrl: toBaseUrl(env["ANTHROPIC_BASE_URL"] || undefined),
    headers: toHeaders(env["ANTHROPIC_CUSTOM_HEADERS"] ?? ""),
    thinking: toThinking(flags.thinking, maxTokens ?? modelFacts(modelName).maxOutput),
    effort: flags.effort,
    maxTokens,
    ...(idleMs === undefined ? {} : { idleMs }),
  });
}

function toBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text;
  throw new UserError("config", `ANTHROPIC_BASE_URL is not a URL: ${text}`, "for example https://api.anthropic.com");
}

/** `Name: value`, one per line, as in Claude Code. */
function toHeaders(text: string): Record<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name !== undefined && value !== undefined ? [[name, value] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function toThinking(text = "auto", maxTokens: number): Thinking {
  if (text === "auto" || text === "adaptive" || text === "off") return text;
  const budget = Number(text);
  if (!Number.isInteger(budget) || budget < 1024)
    throw new UserError("usage", `--thinking: ${text}`, "auto, adaptive, off, or a budget of at least 1024 tokens");
  if (budget < maxTokens) return budget;
  const hint = "use a larger --max-tokens or a smaller budget";
  throw new UserError(
    "usage",
    `--thinking ${budget} must be smaller than the maximum answer of ${maxTokens} tokens`,
    hint,
  );
}

function toFolder(path: string, { cwd }: Io): string {
  const folder = resolve(cwd, path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new UserError("usage", `--add-dir: ${folder} is not a folder`, "name one that exists");
}

function toCount(name: string, text: string | undefined): number | undefined {
  const value = toNumber(name, text);
  if (value === undefined || Number.isInteger(value)) return value;
  throw new UserError("usage", `${name} must be a whole number, not "${text}"`, `for example ${name} 10`);
}

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UserError("usage", `${name} must be a number above 0, not "${text}"`, `for example ${name} 10`);
}

type Choice = Pick<ChatFlags, "continue" | "resume" | "resumeSessionAt" | "forkSession" | "sessionId" | "configDir">;

/** Chooses the session: a new one, or a named one. */
async function chooseChatSession(flags: Choice, configRoot: string, io: Io): Promise<SessionChoice> {
  if (flags.continue && flags.resume !== undefined) {
    throw new UserError("usage", "--continue and --resume cannot be combined", "use one of them");
  }
  const path = flags.continue ? lastOfFolder(configRoot, io) : await named(flags, io);
  if (path !== undefined) {
    if (flags.sessionId !== undefined) throw new UserError("usage", "--session-id is for new sessions", "omit it");
    return { kind: "resume", path, at: flags.resumeSessionAt, isFork: flags.forkSession ?? false };
  }
  if (flags.forkSession || flags.resumeSessionAt !== undefined) {
    const hint = "add --resume <session> or --continue";
    throw new UserError("usage", "--fork-session and --resume-session-at need a session to resume", hint);
  }
  return { kind: "new", id: newId(flags.sessionId, projectFolders(configRoot, io.cwd, io.env)[0]) };
}

function newId(id: string | undefined, folder: string): string | undefined {
  if (id === undefined) return undefined;
  if (!isSessionId(id)) throw new UserError("usage", `not a session id: ${id}`, "it is a UUID");
  if (existsSync(join(folder, `${id}.jsonl`))) {
    throw new UserError("exists", `session ${id} exists already`, "resume it with --resume");
  }
  return id;
}

async function named({ resume, configDir }: Choice, io: Io): Promise<string | undefined> {
  if (resume === undefined) return undefined;
  const roots = await sessionRoots(io, configDir === undefined ? {} : { configDir });
  const found = chooseSession(resume, roots, io, await loadOptions(io));
  refuseReceived(found, dataFolderOf(io));
  if (!found.archived) return found.path;
  throw new UserError("not-found", "this session is only in the archive", "restore it with `turnlog archive restore`");
}

/** The newest session of a folder, except one. */
export function lastOfFolder(configRoot: string, { cwd, env }: Pick<Io, "cwd" | "env">, except?: string): string {
  const folders = projectFolders(configRoot, cwd, env);
  const sessions = folders.filter(existsSync).flatMap((folder) => listSessionFiles(folder).sessions);
  const isShared = sharedProjectName(configRoot, env) !== undefined;
  const last = sessions
    .filter(({ size, path }) => size > 0 && path !== except)
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
    .find(({ path }) => !isShared || isRecordedIn(path, cwd));
  if (last) return last.path;
  throw new UserError(
    "not-found",
    `no ${except === undefined ? "" : "other "}session of this folder to resume`,
    "`turnlog list` shows all sessions",
  );
}

const HEAD_RECORDS = 64;

/** One folder may hold the sessions of all projects (CLAUDE_CODE_PROJECT_DIR_NAME). */
function isRecordedIn(path: string, cwd: string): boolean {
  let seen = 0;
  for (const record of readRecords(path, { abridge: true })) {
    if (record.kind !== "broken" && record.cwd !== undefined) return record.cwd === cwd;
    if (++seen >= HEAD_RECORDS) break;
  }
  return false;
}
