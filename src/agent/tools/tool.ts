import type { ApiBlock } from "../../format/api-message.js";
import type { JsonObject } from "../../format/json.js";
import type { ToolContext } from "./tool-context.js";

/** What a call wants to do, as the permission rules see it. */
export type Action =
  | { readonly kind: "read"; readonly path: string; readonly named?: string }
  | { readonly kind: "edit"; readonly path: string; readonly named?: string }
  | { readonly kind: "shell"; readonly command: string }
  | { readonly kind: "fetch"; readonly domain: string }
  | { readonly kind: "search-web"; readonly query: string }
  /** Asks a person by itself. */
  | { readonly kind: "talk" }
  /** Touches nothing outside of the session. */
  | { readonly kind: "harmless" };

export interface ToolOutcome {
  /** What the model reads. */
  readonly content: string | readonly ApiBlock[];
  /** What screens read, in the client's shape (`toolUseResult`). */
  readonly data: unknown;
  readonly isError?: boolean;
  readonly wasInterrupted?: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** May run beside others. */
  readonly isReadOnly: boolean;
  /** The input as the tool takes it, or why not. */
  parse(input: unknown): { readonly input: unknown } | { readonly problem: string };
  action(input: unknown, context: ToolContext): Action;
  /** For the person who is asked: what the input alone does not show, such as how many places change. */
  detail?(input: unknown, context: ToolContext): string | undefined;
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

/** Says something that the model can act on; it becomes an error result. */
export class ToolError extends Error {
  override readonly name = "ToolError";

  constructor(
    message: string,
    /** The input is wrong, not the world. */
    readonly isMisuse = false,
  ) {
    super(message);
  }
}
