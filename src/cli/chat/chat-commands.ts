import type { SessionChoice } from "../../agent/chat-options.js";
import { ModelError } from "../../agent/model/model.js";
import { resolveModel } from "../../agent/model/model-facts.js";
import type { OpenedChat } from "../../agent/open-chat.js";
import { MODES, toMode } from "../../agent/permissions/settings.js";
import type { ChatScreen } from "./chat-screen.js";

export interface SlashWorld {
  readonly opened: OpenedChat;
  readonly screen: ChatScreen;
  leave(): void;
  reopen(session: SessionChoice): Promise<void>;
  /** The session that a name means. */
  choose(name: string): Promise<SessionChoice>;
  withSignal<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface SlashCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** What it says; undefined where there is nothing to say or record. */
  run(args: string, world: SlashWorld): Promise<string | undefined> | string | undefined;
}

const COMMANDS: readonly SlashCommand[] = [
  { name: "help", usage: "/help", summary: "this list", run: () => helpText() },
  { name: "clear", usage: "/clear", summary: "a new session", run: (_, world) => clear(world) },
  { name: "compact", usage: "/compact [what matters]", summary: "sums up the conversation so far", run: compact },
  { name: "resume", usage: "/resume <session>", summary: "goes on with another session", run: resume },
  { name: "model", usage: "/model [name]", summary: "shows or changes the model", run: changeModel },
  { name: "mode", usage: "/mode [mode]", summary: `the permission mode: ${MODES.join(", ")}`, run: changeMode },
  { name: "rename", usage: "/rename <title>", summary: "gives the session a title", run: rename },
  { name: "cost", usage: "/cost", summary: "tokens and cost of this chat", run: (_, world) => costText(world.opened) },
  { name: "exit", usage: "/exit", summary: "leaves", run: (_, world) => world.leave() as undefined },
];

/** A path at the beginning of a prompt is none. */
export function isSlashCommand(text: string): boolean {
  return /^\/[\w-]*(?:\s|$)/.test(text);
}

/** Commands of the person that stay here; what they say is kept beside the conversation. */
export async function runSlashCommand(text: string, world: SlashWorld): Promise<void> {
  const [, name = "", args = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
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
  screen.say("a new session; the old one stays where it is");
  return undefined;
}

async function compact(instructions: string, { opened, withSignal }: SlashWorld): Promise<string> {
  try {
    const isDone = await withSignal((signal) => opened.chat.compact(instructions || undefined, signal));
    return isDone ? "Compacted" : "there was nothing to gain by a summary";
  } catch (error) {
    if (error instanceof ModelError) return `the summary did not come: ${error.message}`;
    throw error;
  }
}

async function resume(name: string, { reopen, choose, screen }: SlashWorld): Promise<undefined> {
  if (name === "") screen.say("name a session: /resume last, or its id");
  else await reopen(await choose(name));
  return undefined;
}

function changeModel(name: string, { opened }: SlashWorld): string {
  if (name !== "") opened.modelName = resolveModel(name);
  return `model: ${opened.modelName}`;
}

function changeMode(name: string, { opened }: SlashWorld): string {
  if (name !== "") opened.desk.mode = toMode(name);
  return `permission mode: ${opened.desk.mode}`;
}

function rename(title: string, { opened }: SlashWorld): string {
  if (title === "") return "name a title: /rename <title>";
  opened.chat.rename(title);
  return `Session renamed to: ${title}`;
}

function costText({ spending, chat }: OpenedChat): string {
  const { usage, cost } = spending;
  const money = cost === null ? "cost unknown: no price for a model that was used" : `$${cost.toFixed(4)}`;
  return `${money}; ${usage.input} input, ${usage.output} output, ${usage.cacheRead} read from and ${usage.cacheWrite5m + usage.cacheWrite1h} written to the cache; the context holds about ${chat.contextTokens} tokens`;
}
