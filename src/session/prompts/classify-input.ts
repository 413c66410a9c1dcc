import type { ContentBlock } from "../../format/record/content-block.js";
import { toForkStart } from "../../format/record/fork-start.js";
import { isPersonsOrigin, type UserRecord } from "../../format/record/record.js";
import {
  channelWords,
  isInterruptMarker,
  leadingTag,
  parseCommand,
  parseTaskNotification,
  stripContext,
  textInTag,
} from "./wrappers.js";

/** What a record of type `user` is: Claude Code uses that type for many things. */
export type InputClass =
  | "prompt"
  | "command"
  | "commandOutput"
  | "bash"
  | "bashOutput"
  | "notification"
  | "toolResult"
  | "compactSummary"
  | "injected"
  | "interrupt"
  | "contextOnly"
  | "notHuman";

/** The decision table: first match wins. Whether a record is of a sub-agent is the caller's concern. */
export function classifyInput(record: UserRecord): InputClass {
  if (toForkStart(record)) return "prompt";
  if (record.blocks.some(({ kind }) => kind === "toolResult")) return "toolResult";
  if (record.isCompactSummary) return "compactSummary";
  if (record.isMeta && record.originKind !== CHANNEL) return "injected";
  const { text } = stripContexts(record.blocks);
  const wrapped = classifyWrapper(text);
  if (wrapped) return wrapped;
  if (isInterruptMarker(text)) return "interrupt";
  if (isFromElsewhere(record)) return "notHuman";
  return text.trim() === "" && !record.blocks.some(isPicture) ? "contextOnly" : "prompt";
}

/** The text of a prompt as a person wrote it: `/name args`, a shell command line, a notification's summary. */
export function promptText(record: UserRecord): string {
  const fork = toForkStart(record);
  if (fork) return fork.directive;
  const { text } = stripContexts(record.blocks);
  switch (classifyInput(record)) {
    case "command": {
      const command = parseCommand(text);
      return command ? `${command.name} ${command.args}`.trim() : text;
    }
    case "bash":
      return textInTag(text, "bash-input") ?? text;
    case "notification":
      return parseTaskNotification(text).summary ?? "";
    default:
      return record.originKind === CHANNEL ? channelWords(text) : text;
  }
}

/** Where a person writes from outside of the terminal. */
const CHANNEL = "channel";

/** All text of a record, as written. */
export function ownText(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
}

/** Context tags are at the start or end of a block, or are a block of their own. */
export function stripContexts(blocks: readonly ContentBlock[]): {
  readonly text: string;
  readonly context: readonly string[];
} {
  const parts = blocks.flatMap((block) => (block.kind === "text" ? [stripContext(block.text)] : []));
  const texts = parts.filter(({ text, context }) => text !== "" || context.length === 0).map(({ text }) => text);
  return { text: texts.join("\n"), context: parts.flatMap(({ context }) => context) };
}

function classifyWrapper(text: string): InputClass | undefined {
  const tag = leadingTag(text);
  switch (tag) {
    case undefined:
      return undefined;
    case "command-name":
    case "command-message":
    case "command-args":
      return "command";
    case "local-command-stdout":
    case "local-command-stderr":
      return "commandOutput";
    case "bash-input":
      return "bash";
    case "bash-stdout":
    case "bash-stderr":
      return "bashOutput";
    case "task-notification":
      return "notification";
    default:
      return /^(command|local-command|bash)-/.test(tag) ? "injected" : undefined;
  }
}

function isFromElsewhere({ originKind, turnOrigin, promptSource }: UserRecord): boolean {
  if (originKind === CHANNEL) return false;
  if (originKind !== undefined && !isPersonsOrigin(originKind)) return true;
  return (turnOrigin !== undefined && turnOrigin !== "human" && turnOrigin !== "sdk") || promptSource === "system";
}

function isPicture({ kind }: ContentBlock): boolean {
  return kind === "image" || kind === "document";
}
