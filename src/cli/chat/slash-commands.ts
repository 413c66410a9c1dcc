import type { SessionChoice } from "../../agent/chat-options.js";
import { ModelError } from "../../agent/model/model.js";
import { resolveModel } from "../../agent/model/model-facts.js";
import type { OpenedChat } from "../../agent/open-chat.js";
import { MODES, toMode } from "../../agent/permissions/chat-settings.js";
import { formatCost, formatTokens } from "../../render/format-values.js";
import type { ChatScreen } from "./chat-screen.js";

export interface SlashWorld {
  readonly opened: OpenedChat;
  readonly screen: ChatScreen;
  leave(): void;
  reopen(session: SessionChoice): Promise<void>;
  /** Finds a session by name. */
  choose(name: string): Promise<SessionChoice>;
  /** Shows the sessions of this folder. */
  list(): Promise<void>;
  withSignal<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface SlashCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Returns its output; undefined: nothing to show or record. */
  run(args: string, world: SlashWorld): Promise<string | undefined> | string | undefined;
}

const COMMANDS: readonly SlashCommand[] = [
  { name: "help", usage: "/help", summary: "this list", run: () => helpText() },
  { name: "clear", usage: "/clear", summary: "starts a new session", run: (_, world) => clear(world) },
  { name: "compact", usage: "/compact [what matters]", summary: "summarizes the conversation so far", run: compact },
  { name: "resume", usage: "/resume [session]", summary: "lists sessions, or resumes one", run: resume },
  { name: "model", usage: "/model [name]", summary: "shows or changes the model", run: changeModel },
  { name: "mode", usage: "/mode [mode]", summary: "shows or changes the permission mode", run: changeMode },
  { name: "rename", usage: "/rename <title>", summary: "gives the session a title", run: rename },
  { name: "cost", usage: "/cost", summary: "tokens and cost of this chat", run: (_, world) => costText(world.opened) },
  { name: "exit", usage: "/exit", summary: "leaves", run: (_, world) => world.leave() as undefined },
];

const COMMAND = /^\/([\w-]*)(?:\s+([\s\S]*))?$/;

/** A path at the start of a prompt is not a command. */
export function isSlashCommand(text: string): boolean {
  return COMMAND.test(text);
}

/** Runs a local command; its output is recorded beside the conversation. */
export async function runSlashCommand(text: string, world: SlashWorld): Promise<void> {
  const [, name = "", args = ""] = COMMAND.exec(text) ?? [];
  const command = COMMANDS.find((known) => known.name === name || (name === "quit" && known.name === "exit"));
  if (!command) return world.screen.say(`unknown command /${name}; /help lists them`);
  const output = await command.run(args.trim(), world);
  if (output === undefined) return;
  world.opened.chat.recordCommand(command.name, args.trim(), output);
  world.screen.say(output);
}

function helpText(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
  return COMMANDS.map(({ usage, summary }) => `${usage.padEnd(width)}  ${summary}`).join("\n");
}

async function clear({ reopen, screen }: SlashWorld): Promise<undefined> {
  await reopen({ kind: "new" });
  screen.say("new session; the old one is kept");
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
    if (error instanceof ModelError) return `compaction failed: ${error.message}`;
    throw error;
  }
}

async function resume(name: string, { reopen, choose, list }: SlashWorld): Promise<undefined> {
  if (name === "") await list();
  else await reopen(await choose(name));
  return undefined;
}

function changeModel(name: string, { opened }: SlashWorld): string {
  if (name !== "") opened.modelName = resolveModel(name);
  return `model: ${opened.modelName}`;
}

function changeMode(name: string, { opened }: SlashWorld): string {
  if (name !== "") opened.desk.mode = toMode(name);
  const others = MODES.filter((mode) => mode !== opened.desk.mode).join(", ");
  return `permission mode: ${opened.desk.mode}${name === "" ? ` (others: ${others})` : ""}`;
}

function rename(title: string, { opened }: SlashWorld): string {
  if (title === "") return "which title? /rename <title>";
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
