import type { Command } from "commander";
import { UserError } from "../../../errors.js";
import { addChatOptions, type ChatFlags } from "../../chat/chat-flags.js";
import type { CommandContext } from "../../io.js";

const EXAMPLES = `
Examples:
  turnlog chat                               a new session in this folder
  turnlog chat --continue --model haiku      resume the last one with another model
  git diff | turnlog chat -p "review this"   print one answer`;

export function define(command: Command, context: CommandContext): void {
  addChatOptions(command)
    .addHelpText("after", EXAMPLES)
    .action(async (prompt: string | undefined, flags: ChatFlags) => {
      const { io } = context;
      rejectUnusedOptions(flags);
      const isPrinting = flags.print || !io.isTerminal || isPiped(io.stdin());
      const chat = isPrinting
        ? (await import("../../chat/print-chat.js")).printChat
        : (await import("../../chat/interactive-chat.js")).runInteractiveChat;
      context.exitCode = await chat(prompt, flags, io);
    });
}

/** A pipe or a file instead of a keyboard. */
function isPiped(input: object): boolean {
  return "fd" in input && !("isTTY" in input && input.isTTY === true);
}

/** An option without effect is a misunderstanding. */
function rejectUnusedOptions({ print, outputFormat, inputFormat }: ChatFlags): void {
  if (print) return;
  if (outputFormat !== "text") throw new UserError("usage", "--output-format needs -p", "add -p");
  if (inputFormat !== "text") throw new UserError("usage", "--input-format needs -p", "add -p");
}
