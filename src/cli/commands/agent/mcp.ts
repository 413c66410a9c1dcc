import type { Command } from "commander";
import type { RootOptions } from "../../../app/session-roots.js";
import type { CommandContext } from "../../io.js";

const HELP = `
Speaks the Model Context Protocol on stdin and stdout. It is read-only, and its answers are redacted.

Examples:
  claude mcp add turnlog -- turnlog mcp      add it to Claude Code
`;

export function define(command: Command, { io }: CommandContext): void {
  command.addHelpText("after", HELP).action(async (options: RootOptions) => {
    const { serveMcp } = await import("../../../server/mcp/serve-mcp.js");
    await serveMcp(options, io);
  });
}
