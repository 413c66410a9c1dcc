import { homedir } from "node:os";
import { type Command, Option } from "commander";
import type { ChatEvent } from "../agent/chat-event.js";
import type { ChatOptions, Person } from "../agent/chat-options.js";
import { createAnthropicModel, type Effort, type Thinking } from "../agent/model/anthropic-model.js";
import { DEFAULT_MODEL, resolveModel } from "../agent/model/model-facts.js";
import { splitRules } from "../agent/permissions/rule.js";
import { MODES, toMode } from "../agent/permissions/settings.js";
import type { Layout } from "../agent/record/file-history.js";
import type { Durability } from "../agent/record/recorder.js";
import { UserError } from "../errors.js";
import { chooseChatSession } from "./chat-session.js";
import type { Io } from "./io.js";
import { loadOptions } from "./load-options.js";
import { type RootOptions, sessionRoots } from "./roots.js";
import { settingsFolder } from "./settings.js";
import { VERSION } from "./version.js";

export type OutputFormat = "text" | "json" | "stream-json";

export interface ChatFlags extends RootOptions {
  readonly print?: boolean;
  readonly outputFormat: OutputFormat;
  readonly inputFormat: "text" | "stream-json";
  readonly model?: string;
  readonly effort?: Effort;
  readonly thinking?: string;
  readonly maxTokens?: string;
  readonly permissionMode?: string;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: string;
  readonly maxCost?: string;
  readonly continue?: boolean;
  readonly resume?: string;
  readonly resumeSessionAt?: string;
  readonly forkSession?: boolean;
  readonly sessionId?: string;
  readonly compactAt?: string;
  readonly layout: Layout;
  readonly fsync: Durability;
  readonly allowPrivateAddresses?: boolean;
}

/** All that `turnlog chat` takes; the names are the client's where it has such an option. */
export function addChatOptions(command: Command): Command {
  return command
    .argument("[prompt]", "what to ask; piped text is added to it")
    .option("-p, --print", "answer, print, and end; for scripts")
    .addOption(choice("--output-format <format>", "with -p", ["text", "json", "stream-json"], "text"))
    .addOption(choice("--input-format <format>", "with -p", ["text", "stream-json"], "text"))
    .option("-c, --continue", "go on with the last session of this folder")
    .option("-r, --resume <session>", "go on with a session: path, id, unique prefix, title, or `last`")
    .option("--fork-session", "go on in a copy of it")
    .option("--resume-session-at <uuid>", "go on after this record; what follows it is left away")
    .option("--session-id <uuid>", "the id of the new session")
    .option("--model <name>", `opus, sonnet, haiku or a full name (else ANTHROPIC_MODEL, else ${DEFAULT_MODEL})`)
    .addOption(choice("--effort <level>", "how hard the model tries", ["low", "medium", "high", "xhigh", "max"]))
    .option("--thinking <how>", "auto, adaptive, off, or a budget in tokens", "auto")
    .option("--max-tokens <n>", "the longest answer")
    .addOption(choice("--permission-mode <mode>", "what needs no question", [...MODES]))
    .option("--allowed-tools <rules...>", 'allow without asking: "Bash(git log:*)" Edit "Read(src/**)"')
    .option("--disallowed-tools <rules...>", "forbid")
    .option("--add-dir <folders...>", "further folders to work in")
    .option("--append-system-prompt <text>", "more instructions for the model")
    .option("--max-turns <n>", "end after so many answers of the model")
    .option("--max-cost <usd>", "end when so much is spent")
    .option("--compact-at <tokens>", "sum up when the context is so full (else at 80 % of the model's window)")
    .option("--allow-private-addresses", "let WebFetch reach this machine and the local network")
    .addOption(choice("--layout <layout>", "where sub-agents are recorded", ["current", "classic"], "current"))
    .addOption(choice("--fsync <when>", "when lines are forced to the disk", ["always", "turn", "never"], "turn"));
}

function choice(flags: string, text: string, values: readonly string[], preset?: string): Option {
  const option = new Option(flags, text).choices(values);
  return preset === undefined ? option : option.default(preset);
}

export async function toChatOptions(
  flags: ChatFlags,
  io: Io,
  { listen, person }: { listen: (event: ChatEvent) => void; person: Person | undefined },
): Promise<ChatOptions> {
  if (flags.demo) throw new UserError("usage", "--demo does not go with chat", "leave it away");
  const [configRoot] = await sessionRoots(io, flags);
  if (configRoot === undefined)
    throw new UserError("config", "no folder to record sessions in", "name one with --config-dir");
  const { prices } = await loadOptions(io);
  const mode = flags.permissionMode === undefined ? undefined : toMode(flags.permissionMode);
  return {
    cwd: io.cwd,
    home: homedir(),
    configRoot,
    dataDir: settingsFolder(io),
    ownVersion: VERSION,
    model: connect(flags, io),
    modelName: resolveModel(flags.model ?? io.env["ANTHROPIC_MODEL"] ?? DEFAULT_MODEL),
    session: await chooseChatSession(flags, configRoot, io),
    listen,
    effort: flags.effort,
    mode,
    allow: (flags.allowedTools ?? []).flatMap(splitRules),
    deny: (flags.disallowedTools ?? []).flatMap(splitRules),
    additionalDirectories: flags.addDir ?? [],
    appendSystemPrompt: flags.appendSystemPrompt,
    maxTurns: toNumber("--max-turns", flags.maxTurns),
    maxCost: toNumber("--max-cost", flags.maxCost),
    compactAt: toNumber("--compact-at", flags.compactAt),
    layout: flags.layout,
    durability: flags.fsync,
    person,
    allowsPrivateAddresses: flags.allowPrivateAddresses ?? false,
    prices,
  };
}

function connect(flags: ChatFlags, { env }: Io): ChatOptions["model"] {
  const apiKey = env["ANTHROPIC_API_KEY"] || undefined;
  const authToken = env["ANTHROPIC_AUTH_TOKEN"] || undefined;
  if (apiKey === undefined && authToken === undefined) {
    throw new UserError("config", "no key for the API", "set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN)");
  }
  const idleMs = toNumber("TURNLOG_IDLE_MS", env["TURNLOG_IDLE_MS"]);
  return createAnthropicModel({
    apiKey,
    authToken,
    baseUrl: env["ANTHROPIC_BASE_URL"] || undefined,
    headers: toHeaders(env["ANTHROPIC_CUSTOM_HEADERS"] ?? ""),
    thinking: toThinking(flags.thinking),
    effort: flags.effort,
    maxTokens: toNumber("--max-tokens", flags.maxTokens),
    ...(idleMs === undefined ? {} : { idleMs }),
  });
}

/** `Name: value`, one in each line, as the client takes them. */
function toHeaders(text: string): Record<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name !== undefined && value !== undefined ? [[name, value] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function toThinking(text = "auto"): Thinking {
  if (text === "auto" || text === "adaptive" || text === "off") return text;
  const budget = Number(text);
  if (Number.isInteger(budget) && budget >= 1024) return budget;
  throw new UserError("usage", `--thinking: ${text}`, "auto, adaptive, off, or a budget of at least 1024 tokens");
}

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UserError("usage", `${name} wants a number above 0, not "${text}"`);
}
