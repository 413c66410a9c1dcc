import { type Command, Option } from "commander";
import type { Layout } from "../../agent/conversation/session-log/file-history.js";
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
  readonly trustProject?: boolean;
  readonly addDir?: readonly string[];
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: string;
  readonly maxCost?: string;
  readonly maxTokensTotal?: string;
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
  readonly sandbox?: boolean;
  readonly sandboxNetwork?: boolean;
  readonly sandboxUnixSockets?: boolean;
  readonly title: boolean;
}

/** The options of `turnlog chat`, named as in Claude Code where it has the option. */
export function addChatOptions(command: Command): Command {
  return command
    .argument("[prompt]", "the prompt; piped text is appended")
    .option("-p, --print", "print the answer and exit; for scripts")
    .addOption(choice("--output-format <format>", "output format with -p", ["text", "json", "stream-json"], "text"))
    .addOption(choice("--input-format <format>", "input format with -p", ["text", "stream-json"], "text"))
    .option("-c, --continue", "resume the last session of this folder")
    .option("-r, --resume <session>", "resume a session: path, id, unique prefix, title, or `last`")
    .option("--fork-session", "resume in a copy")
    .option("--resume-session-at <uuid>", "resume after this record; later records are ignored")
    .option("--session-id <uuid>", "id of the new session")
    .option("--model <name>", `opus, sonnet, haiku or a full name (default: ANTHROPIC_MODEL, else ${DEFAULT_MODEL})`)
    .addOption(choice("--effort <level>", "reasoning effort", ["low", "medium", "high", "xhigh", "max"]))
    .option("--thinking <how>", "auto, adaptive, off, or a budget in tokens", "auto")
    .option("--max-tokens <n>", "maximum tokens per answer")
    .addOption(choice("--permission-mode <mode>", "what needs no approval", [...MODES]))
    .option("--allowed-tools <rules...>", 'allow without asking: "Bash(git log:*)" Edit "Read(src/**)"')
    .option("--disallowed-tools <rules...>", "deny")
    .option("--add-dir <folders...>", "additional folders to work in")
    .option(
      "--trust-project",
      "let this project's settings count without asking: rules, hooks, variables, folders, mode",
    )
    .option("--append-system-prompt <text>", "additional instructions for the model")
    .option("--max-turns <n>", "stop after this many answers of the model")
    .option("--max-cost <usd>", "stop when this much is spent; a model without a price needs --max-tokens-total")
    .option("--max-tokens-total <n>", "stop when this many tokens are used by all requests together")
    .option("--compact-at <tokens>", "compact at this context size (default: 80 % of the model's context window)")
    .option("--no-title", "do not ask the model for a title of a new session")
    .option("--sandbox", "run commands in a sandbox: they write only in the project, without network (Linux, macOS)")
    .option("--no-sandbox", "run commands without the sandbox that the settings ask for")
    .option("--sandbox-network", "let commands in the sandbox use the network")
    .option("--sandbox-unix-sockets", "let commands in the sandbox use Unix sockets, also those of programs outside")
    .option("--allow-private-addresses", "let WebFetch access this machine and the local network")
    .addOption(
      choice(
        "--hooks <whose>",
        "whose hooks to run; those of a project only if it is trusted",
        ["all", "user", "off"],
        "all",
      ),
    )
    .addOption(choice("--layout <layout>", "where sub-agent sessions are stored", ["current", "classic"], "current"))
    .addOption(choice("--fsync <when>", "when to flush records to disk", ["always", "turn", "never"], "turn"));
}

function choice(flags: string, text: string, values: readonly string[], preset?: string): Option {
  const option = new Option(flags, text).choices(values);
  return preset === undefined ? option : option.default(preset);
}
