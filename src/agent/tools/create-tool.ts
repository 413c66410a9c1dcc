import { type ZodType, z } from "zod";
import { isObject, type JsonObject } from "../../format/json.js";
import type { Action, Preview, Tool, ToolOutcome } from "./tool.js";
import type { ToolContext } from "./tool-context.js";

interface ToolDefinition<Input> {
  readonly name: string;
  readonly description: string;
  readonly schema: ZodType<Input>;
  readonly isReadOnly: boolean;
  action(input: Input, context: ToolContext): Action;
  preview?(input: Input, context: ToolContext): Preview | undefined;
  run(input: Input, context: ToolContext): Promise<ToolOutcome>;
}

/** A tool whose input is checked by its schema first. */
export function createTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, schema, isReadOnly } = definition;
  return {
    name,
    description,
    inputSchema: toInputSchema(schema),
    isReadOnly,
    parse(input) {
      const checked = schema.safeParse(input);
      return checked.success ? { input: checked.data } : { problem: describe(name, checked.error.issues) };
    },
    action: (input, context) => definition.action(input as Input, context),
    preview: (input, context) => definition.preview?.(input as Input, context),
    run: (input, context) => definition.run(input as Input, context),
  };
}

function toInputSchema(schema: ZodType): JsonObject {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: "input" });
  return isObject(json) ? json : {};
}

function describe(name: string, issues: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  const lines = issues.map(({ path, message }) => `- ${path.map(String).join(".") || "input"}: ${message}`);
  return `InputValidationError: ${name} was called with wrong parameters:\n${lines.join("\n")}`;
}
