import type { SessionChoice } from "../../agent/chat-options.js";
import { ModelError } from "../../agent/model/model.js";
import { resolveModel } from "../../agent/model/model-facts.js";
import type { OpenedChat } from "../../agent/open-chat.js";
import { MODES, toMode } from "../../agent/permissions/chat-settings.js";
import { UserError } from "../../errors.js";
import { formatCost, formatTokens } from "../../render/format-values.js";

export interface SlashWorld {
  readonly opened: OpenedChat;
  /** Undefined with -p: one session, and nobody who leaves. */
  readonly terminal: SlashTerminal | undefined;
  withSignal<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface SlashTerminal {
  say(text: string): void;
  leave(): void;
  reopen(session: SessionChoice): Promise<void>;
  /** Finds a session by name. */
  choose(name: string): Promise<SessionChoice>;
  /** Shows the sessions of this folder. */
  list(): Promise<void>;
}

interface SlashCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Returns its output; undefined: nothing to show or record. Throws `UserError` if it fails. */
  run(args: string, world: SlashWorld): Promise<string | undefined> | string | undefined;
}

/** A command that needs a terminal. */
function inTerminal(
  run: (args: string, terminal: SlashTerminal) => Promise<undefined> | undefined,
): SlashCommand["run"] {
  return (args, { terminal }) => {
    if (terminal) return run(args, terminal);
    throw new UserError("usage", "this command is for an interactive chat", "omit -p");
  };
}

const COMMANDS: readonly SlashCommand[] = [
  { name: "help", usage: "/help", summary: "this list", run: () => helpText() },
  { name: "clear", usage: "/clear", summary: "starts a new session", run: inTerminal(clear) },
  { name: "compact", usage: "/compact [what matters]", summary: "summarizes the conversation so far", run: compact },
  { name: "resume", usage: "/resume [session]", summary: "lists sessions, or resumes one", run: inTerminal(resume) },
  { name: "model", usage: "/model [name]", summary: "shows or changes the model", run: changeModel },
  { name: "mode", usage: "/mode [mode]", summary: "shows or changes the permission mode", run: changeMode },
  { name: "rename", usage: "/rename <title>", summary: "gives the session a title", run: rename },
  { name: "cost", usage: "/cost", summary: "tokens and cost of this chat", run: (_, world) => costText(world.opened) },
  { name: "exit", usage: "/exit", summary: "leaves", run: inTerminal((_, { leave }) => leave() as undefined) },
];

const COMMAND = /^\/([\w-]*)(?:\s+([\s\S]*))?$/;

/** A path at the start of a prompt is not a command. */
export function isSlashCommand(text: string): boolean {
  return COMMAND.test(text);
}

/** Runs a local command; its output is recorded beside the conversation, if there is one. */
export async function runSlashCommand(text: string, world: SlashWorld): Promise<string | undefined> {
  const [, name = "", args = ""] = COMMAND.exec(text) ?? [];
  const command = COMMANDS.find((known) => known.name === name || (name === "quit" && known.name === "exit"));
  if (!command) throw new UserError("usage", `unknown command /${name}`, "/help lists them");
  const output = await command.run(args.trim(), world);
  const { chat, log } = world.opened;
  if (output !== undefined && log.leaf !== null) chat.recordCommand(command.name, args.trim(), output);
  return output;
}

function helpText(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
  return COMMANDS.map(({ usage, summary }) => `${usage.padEnd(width)}  ${summary}`).join("\n");
}

async function clear(_: string, { reopen, say }: SlashTerminal): Promise<undefined> {
  await reopen({ kind: "new" });
  say("new session; the old one is kept");
  return undefined;
}

async function compact(instructions: string, { opened, withSignal }: SlashWorld): Promise<string> {
  try {
    return await withSignal(async (signal) => {
      if (await opened.chat.compact(instructions || undefined, signal)) return "Compacted";
      return signal.aborted
        ? "interrupted; nothing was compacted"
        : "nothing to compact: a summary would not be shorter";
    });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new UserError("usage", `compaction failed: ${error.message}`, "", { cause: error });
  }
}

async function resume(name: string, { reopen, choose, list }: SlashTerminal): Promise<undefined> {
  if (name === "") await list();
  else await reopen(await choose(name));
  return undefined;
}

function changeModel(name: string, { opened }: SlashWorld): string {
  if (name !== "") {
    const model = resolveModel(name);
    opened.requirePrice(model);
    opened.modelName = model;
  }
  return `model: ${opened.modelName}`;
}

function changeMode(name: string, { opened }: SlashWorld): string {
  if (name !== "") opened.desk.mode = toMode(name);
  const others = MODES.filter((mode) => mode !== opened.desk.mode).join(", ");
  return `permission mode: ${opened.desk.mode}${name === "" ? ` (others: ${others})` : ""}`;
}

function rename(title: string, { opened }: SlashWorld): string {
  if (title === "") throw new UserError("usage", "no title", "/rename <title>");
  opened.chat.rename(title);
  return `Session renamed to: ${title}`;
}

function costText({ spending, chat }: OpenedChat): string {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = spending.usage;
  const money = spending.cost === null ? "unknown: a model that was used has no price" : formatCost(spending.cost);
  const tokens = [
    `${formatTokens(input)} input`,
    `${formatTokens(output)} output`,
    `${formatTokens(cacheRead)} read from the cache`,
    `${formatTokens(cacheWrite5m + cacheWrite1h)} written to it`,
  ];
  return [
    `cost     ${money}`,
    `tokens   ${tokens.join(", ")}`,
    `context  about ${formatTokens(chat.contextTokens)} tokens`,
  ].join("\n");
}
