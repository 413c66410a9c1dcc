import type { Command } from "commander";
import type { RootOptions } from "../../../app/session-roots.js";
import type { CommandContext } from "../../io.js";

const HELP = `
Speaks the Model Context Protocol on stdin and stdout. It is read-only, and its answers are redacted. To add it to Claude Code:

  claude mcp add turnlog -- npx turnlog mcp
`;

export function define(command: Command, { io }: CommandContext): void {
  command.addHelpText("after", HELP).action(async (options: RootOptions) => {
    const { serveMcp } = await import("../../../server/mcp/serve-mcp.js");
    await serveMcp(options, io);
  });
}
