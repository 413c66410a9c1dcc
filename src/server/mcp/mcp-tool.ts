import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { type FilterOptions, toFilter } from "../../app/filter-options.js";
import { UserError } from "../../errors.js";
import { expandHome } from "../../format/layout/path-forms.js";
import { type LoadedSession, loadSession } from "../../library/load/load-session.js";
import type { SessionFilter, SessionSummary } from "../../library/load/session-summary.js";
import { resolveListed } from "../../library/sources/resolve-session.js";
import { homeFolder } from "../../own-user.js";
import type { McpLibrary } from "./mcp-library.js";

export interface McpAnswer {
  /** The same as readable text. */
  readonly text: string;
  readonly structured: { readonly [field: string]: unknown };
}

export interface McpTool {
  readonly description: Tool;
  call(args: unknown, library: McpLibrary): Promise<McpAnswer>;
}

export interface McpToolDefinition<Fields extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly fields: Fields;
  answer(args: z.infer<z.ZodObject<Fields>>, library: McpLibrary): Promise<McpAnswer>;
}

export function defineMcpTool<Fields extends z.ZodRawShape>(definition: McpToolDefinition<Fields>): McpTool {
  const { name, title, description, fields, answer } = definition;
  const schema = z.strictObject(fields);
  return {
    description: {
      name,
      title,
      description,
      inputSchema: z.toJSONSchema(schema, { io: "input" }) as Tool["inputSchema"],
      annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async call(args, library) {
      const parsed = schema.safeParse(args);
      if (!parsed.success) throw badArguments(name, parsed.error, Object.keys(fields));
      return answer(parsed.data as z.infer<z.ZodObject<Fields>>, library);
    },
  };
}

function badArguments(tool: string, { issues }: z.ZodError, names: readonly string[]): UserError {
  const problems = issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message));
  return new UserError("usage", `${tool}: ${problems.join("; ")}`, `valid arguments: ${names.join(", ")}`);
}

const TIME = "7d, 12h, today, yesterday, 2026-05-01 or an ISO time";

export const projectField = z
  .string()
  .optional()
  .describe("Only sessions of this project: its path (a leading ~ is the home folder) or a part of it");
export const sinceField = z.string().optional().describe(`Only activity since this time: ${TIME}`);
export const untilField = z.string().optional().describe(`Only activity before this time: ${TIME}`);
export const cursorField = z
  .string()
  .max(200)
  .optional()
  .describe("nextCursor of the previous answer, for the next page; keep all other arguments the same");

export function limitField(fallback: number, max: number) {
  return z
    .int()
    .min(1)
    .max(max)
    .optional()
    .describe(`Maximum number of results (default ${fallback}); fewer when they are long`);
}

type FilterFields = { readonly [Name in Exclude<keyof FilterOptions, "limit">]?: FilterOptions[Name] | undefined };

/** Drops undefined fields. Answers shorten projects to `~/…`, so `~` is expanded here. */
export function givenFields(fields: FilterFields): FilterOptions {
  const given = Object.entries({ ...fields, project: fields.project && expandHome(fields.project, homeFolder()) });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

export function argumentFilter(fields: FilterFields): SessionFilter {
  return toFilter(givenFields(fields));
}

export const sessionField = z
  .string()
  .min(1)
  .max(400)
  .describe("The session: its id, a unique id prefix, its exact title, or `last` for the most recent one");

/** Not by path: MCP clients may read listed sessions only, not any file of the machine. */
export async function findSession(name: string, library: McpLibrary): Promise<SessionSummary> {
  if (/^~|[/\\]|\.jsonl$/i.test(name)) {
    const hint = "use its id, a unique id prefix, its exact title, or `last`; list_sessions shows the ids";
    throw new UserError("usage", "a path cannot be used to name a session here", hint);
  }
  return resolveListed(name, await library.list());
}

export async function openNamedSession(name: string, library: McpLibrary): Promise<LoadedSession> {
  return library.open(await findSession(name, library));
}

export const agentField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("The agentId of a sub-agent: read its turns instead of those of the session");

/** The session, or one of its sub-agents. */
export async function openAgent(
  name: string,
  agentId: string | undefined,
  library: McpLibrary,
): Promise<LoadedSession> {
  const session = await openNamedSession(name, library);
  if (agentId === undefined) return session;
  const agents = session.subagents().filter(({ path }) => path !== session.path);
  const agent = agents.find((candidate) => candidate.agentId === agentId);
  if (agent) return loadSession(agent.path, await library.loadOptions());
  const ids = agents.slice(0, 10).map((candidate) => candidate.agentId);
  const hint =
    ids.length > 0
      ? `it has ${ids.join(", ")}; session_outline lists all`
      : "it has no sub-agents with their own files";
  throw new UserError("not-found", `the session has no sub-agent ${agentId}`, hint);
}
