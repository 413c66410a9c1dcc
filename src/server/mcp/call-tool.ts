import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { UserError } from "../../errors.js";
import { isFileError } from "../../format/file-error.js";
import { neutralize } from "../../render/neutralize.js";
import type { AskedLibrary } from "./asked-library.js";
import { TOOLS } from "./tools.js";

const BEHIND = "(the index is still being built: sessions may be missing; ask again later)";

/** Never throws: an agent can mend its call by what it is told. */
export async function callTool(name: string, args: unknown, library: AskedLibrary): Promise<CallToolResult> {
  try {
    const tool = TOOLS.find(({ description }) => description.name === name);
    if (!tool) throw unknownTool(name);
    const { text, structured } = await tool.call(args, library);
    const note = library.isBehind() ? `${BEHIND}\n\n` : "";
    return {
      content: [{ type: "text", text: note + library.clean(text, name) }],
      structuredContent: library.clean(structured, name),
    };
  } catch (error) {
    return { content: [{ type: "text", text: library.clean(describe(error, library), name) }], isError: true };
  }
}

function unknownTool(name: string): UserError {
  const names = TOOLS.map(({ description }) => description.name).join(", ");
  return new UserError("usage", `there is no tool ${name}`, `the tools are ${names}`);
}

/** What nobody foresaw keeps its stack, for the person who runs the server. */
function describe(error: unknown, { tell }: AskedLibrary): string {
  if (error instanceof UserError) return neutralize(error.hint ? `${error.message}\n${error.hint}` : error.message);
  if (isFileError(error)) return `${neutralize(error.message)}\nthe file may just have been moved; try again`;
  tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return "turnlog failed to answer; its error output tells more\nask in another way, or for less";
}
