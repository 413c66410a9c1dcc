import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { UserError } from "../../errors.js";
import type { AskedLibrary } from "./asked-library.js";

export interface ToolAnswer {
  /** The same for reading. */
  readonly text: string;
  readonly structured: { readonly [field: string]: unknown };
}

export interface McpTool {
  readonly description: Tool;
  call(args: unknown, library: AskedLibrary): Promise<ToolAnswer>;
}

export interface ToolDefinition<Fields extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly fields: Fields;
  answer(args: z.infer<z.ZodObject<Fields>>, library: AskedLibrary): Promise<ToolAnswer>;
}

export function defineTool<Fields extends z.ZodRawShape>(definition: ToolDefinition<Fields>): McpTool {
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
  return new UserError("usage", `${tool}: ${problems.join("; ")}`, `its arguments are ${names.join(", ")}`);
}
