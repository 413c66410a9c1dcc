import { type Command, Option } from "commander";
import type { Layout } from "../../agent/conversation/session-log/file-history-recorder.js";
import type { Durability } from "../../agent/conversation/session-log/recorder.js";
import type { HookScope } from "../../agent/hooks/read-hooks.js";
import type { Effort } from "../../agent/model/anthropic-model.js";
import { DEFAULT_MODEL } from "../../agent/model/model-facts.js";
import { MODES } from "../../agent/permissions/chat-settings.js";
import type { RootOptions } from "../../app/session-roots.js";

type OutputFormat = "text" | "json" | "stream-json";

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
  readonly hooks: HookScope;
  readonly layout: Layout;
  readonly fsync: Durability;
  readonly allowPrivateAddresses?: boolean;
  readonly title: boolean;
}

/** The options of `turnlog chat`, named as in Claude Code where it has the option. */
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
    .option("--no-title", "do not have the model find a title for a new session on a terminal")
    .option("--allow-private-addresses", "let WebFetch reach this machine and the local network")
    .addOption(choice("--hooks <whose>", "hooks of the client's settings that are run", ["user", "all", "off"], "user"))
    .addOption(choice("--layout <layout>", "where sub-agents are recorded", ["current", "classic"], "current"))
    .addOption(choice("--fsync <when>", "when lines are forced to the disk", ["always", "turn", "never"], "turn"));
}

function choice(flags: string, text: string, values: readonly string[], preset?: string): Option {
  const option = new Option(flags, text).choices(values);
  return preset === undefined ? option : option.default(preset);
}
