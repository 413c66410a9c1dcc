import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { onTestFinished } from "vitest";
import type { RootOptions } from "../../src/app/session-roots.js";
import { openMcpLibrary } from "../../src/server/mcp/mcp-library.js";
import { createMcpServer } from "../../src/server/mcp/serve-mcp.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { captureWorld } from "./run-cli.js";

export interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Record<string, unknown>;
}

export interface Agent {
  readonly client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolReply>;
  /** Every answer, page by page to the end. */
  pages(tool: string, args?: Record<string, unknown>): Promise<ToolReply[]>;
}

/** The SDK's client, connected in memory to a server of the given sessions. */
export async function connectAgent(roots: RootOptions, settings: object = {}): Promise<Agent> {
  const data = temporaryFolder({ "config.json": JSON.stringify(settings) });
  const { io } = captureWorld({ TURNLOG_DATA_DIR: data });
  const library = await openMcpLibrary(roots, io);
  const { server } = createMcpServer(library);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  onTestFinished(async () => {
    library.close();
    await client.close();
  });
  return toAgent(client);
}

export function toAgent(client: Client): Agent {
  async function call(tool: string, args: Record<string, unknown> = {}): Promise<ToolReply> {
    const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: args });
    const [first] = content as { text: string }[];
    return {
      isError: isError === true,
      text: first?.text ?? "",
      structured: (structuredContent ?? {}) as ToolReply["structured"],
    };
  }

  async function pages(tool: string, args: Record<string, unknown> = {}): Promise<ToolReply[]> {
    const replies = [await call(tool, args)];
    for (let cursor = nextOf(replies); typeof cursor === "string"; cursor = nextOf(replies)) {
      replies.push(await call(tool, { ...args, cursor }));
    }
    return replies;
  }

  return { client, call, pages };
}

function nextOf(replies: readonly ToolReply[]): unknown {
  return replies.at(-1)?.structured["nextCursor"];
}

/** A list of an answer, from all of its pages. */
export function listed(replies: readonly ToolReply[], field: string): Record<string, unknown>[] {
  return replies.flatMap(({ structured }) => (structured[field] ?? []) as Record<string, unknown>[]);
}
