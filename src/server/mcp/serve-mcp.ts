import { type Readable, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { RootOptions } from "../../app/session-roots.js";
import type { Environment } from "../../app/settings.js";
import { VERSION } from "../../app/version.js";
import { isFileError, UserError } from "../../errors.js";
import { neutralize } from "../../render/safe-text.js";
import { type McpLibrary, openMcpLibrary } from "./mcp-library.js";
import type { McpTool } from "./mcp-tool.js";
import { blameTool } from "./tools/blame.js";
import { sessionBriefTool } from "./tools/brief.js";
import { changedFilesTool } from "./tools/changes.js";
import { filesTouchedTool } from "./tools/files.js";
import { listSessionsTool } from "./tools/list.js";
import { runningSessionsTool } from "./tools/live.js";
import { sessionOutlineTool } from "./tools/outline.js";
import { searchSessionsTool } from "./tools/search.js";
import { usageStatsTool } from "./tools/stats.js";
import { sessionTurnsTool } from "./tools/turns.js";

/** The process that the server talks through. */
export interface McpHost extends Environment {
  stdin(): Readable;
  stdout(text: string): Promise<void> | void;
  onInterrupt(listener: () => void): () => void;
}

/** Serves MCP on stdin and stdout until stdin ends or the process is interrupted. */
export async function serveMcp(options: RootOptions, io: McpHost): Promise<void> {
  const library = await openMcpLibrary(options, io);
  const { server, settled } = createMcpServer(library);
  const input = io.stdin();
  const ended = untilEnd(input, io);
  await server.connect(new StdioServerTransport(input, outputOf(io)));
  refresh(library, io);
  if ((await ended) === "input ended") await settled();
  library.close();
  await server.close();
  input.destroy();
}

/** Starts the first sync before the first request. */
function refresh(library: McpLibrary, io: McpHost): void {
  library.refresh().catch((error: unknown) => io.warn(String(error)));
}

function untilEnd(input: NodeJS.ReadableStream, io: McpHost): Promise<"input ended" | "interrupted"> {
  return new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve("input ended"));
    io.onInterrupt(() => resolve("interrupted"));
  });
}

function outputOf(io: McpHost): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      Promise.resolve(io.stdout(chunk)).then(() => done(), done);
    },
  });
}

const INSTRUCTIONS = `Past Claude Code sessions on this machine, read-only. Use it to recall what was done, decided or tried
before. search_sessions finds words in all sessions; list_sessions finds sessions by project and time. Then session_outline
shows the turns of one session, and session_turns the words of some of them. session_brief tells where the work of a session stands, and
changed_files which sessions changed a file. running_sessions lists what runs now. A session is named by id, unique id prefix,
exact title, or "last". Long answers end with nextCursor: ask again with the same arguments and cursor.`;

export interface McpServer {
  readonly server: Server;
  /** Resolves when all pending requests are answered. */
  settled(): Promise<void>;
}

export function createMcpServer(library: McpLibrary): McpServer {
  const server = new Server(
    { name: "turnlog", version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const pending = new Set<Promise<CallToolResult>>();
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map(({ description }) => description) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const answer = callTool(params.name, params.arguments ?? {}, library);
    pending.add(answer);
    return answer.finally(() => pending.delete(answer));
  });
  return {
    server,
    async settled() {
      await nextTurn(); // requests that were just read are dispatched first
      while (pending.size > 0) {
        await Promise.allSettled(pending);
        await nextTurn();
      }
    },
  };
}

const BEHIND = "(the index is still being built: sessions may be missing; try again later)";

/** Never throws: the error text lets the agent correct its call. */
async function callTool(name: string, args: unknown, library: McpLibrary): Promise<CallToolResult> {
  try {
    const tool = TOOLS.find(({ description }) => description.name === name);
    if (!tool) throw unknownTool(name);
    const { text, structured } = await tool.call(args, library);
    const note = library.isIndexIncomplete() ? `${BEHIND}\n\n` : "";
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
  return new UserError("usage", `unknown tool: ${name}`, `available tools: ${names}`);
}

/** The stack of an unexpected error goes to stderr, not to the agent. */
function describe(error: unknown, { warn }: McpLibrary): string {
  if (error instanceof UserError) return neutralize(error.hint ? `${error.message}\n${error.hint}` : error.message);
  if (isFileError(error)) return `${neutralize(error.message)}\nthe file may have been moved; try again`;
  warn(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return "internal error in turnlog; see its error output\ntry other arguments, or ask for less";
}

const TOOLS: readonly McpTool[] = [
  searchSessionsTool,
  listSessionsTool,
  sessionOutlineTool,
  sessionTurnsTool,
  sessionBriefTool,
  filesTouchedTool,
  blameTool,
  changedFilesTool,
  usageStatsTool,
  runningSessionsTool,
];
