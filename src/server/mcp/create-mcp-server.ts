import { setImmediate as nextTurn } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { VERSION } from "../../app/version.js";
import type { AskedLibrary } from "./asked-library.js";
import { callTool } from "./call-tool.js";
import { TOOLS } from "./tools.js";

const INSTRUCTIONS = `Past Claude Code sessions on this machine, read-only. Use it to recall what was done, decided or tried
before. search_sessions finds words in all sessions; list_sessions finds sessions by project and time. Then session_outline
shows the turns of one session, and session_turns the words of some of them. A session is named by id, unique id prefix,
exact title, or "last". Long answers end with nextCursor: ask again with the same arguments and cursor.`;

export interface McpServer {
  readonly server: Server;
  /** When all that was asked is answered. */
  settled(): Promise<void>;
}

export function createMcpServer(library: AskedLibrary): McpServer {
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
      await nextTurn(); // what was just read is handed over first
      while (pending.size > 0) {
        await Promise.allSettled(pending);
        await nextTurn();
      }
    },
  };
}
