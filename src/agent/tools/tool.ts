import type { JsonObject } from "../../format/json.js";
import type { ApiBlock } from "../../format/record/api-message.js";
import type { Refusal, ToolContext } from "./tool-context.js";

/** What a call does, for the permission rules. */
export type Action =
  | { readonly kind: "read"; readonly path: string; readonly named?: string }
  | { readonly kind: "edit"; readonly path: string; readonly named?: string }
  | { readonly kind: "shell"; readonly command: string }
  | { readonly kind: "fetch"; readonly domain: string }
  | { readonly kind: "search-web"; readonly query: string }
  /** Asks the user itself. */
  | { readonly kind: "talk" }
  /** Has no effect outside of the session. */
  | { readonly kind: "harmless" };

export interface ToolOutcome {
  /** What the model reads. */
  readonly content: string | readonly ApiBlock[];
  /** For display, in Claude Code's format (`toolUseResult`). */
  readonly data: unknown;
  readonly isError?: boolean;
  readonly wasInterrupted?: boolean;
  /** A person said no. */
  readonly refusal?: Refusal;
}

/** What a call would do. */
export interface Preview {
  /** Every change, in the form of `toolUseResult`. */
  readonly data: unknown;
  /** Such as the number of places that change. */
  readonly detail: string | undefined;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** May run in parallel with others. */
  readonly isReadOnly: boolean;
  /** Returns the checked input, or why it is invalid. */
  parse(input: unknown): { readonly input: unknown } | { readonly problem: string };
  action(input: unknown, context: ToolContext): Action;
  /** For the approval question: what the input alone does not show. */
  preview?(input: unknown, context: ToolContext): Preview | undefined;
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

/** An error that the model can act on; it becomes an error result. */
export class ToolError extends Error {
  override readonly name = "ToolError";

  constructor(
    message: string,
    /** The input is wrong, not the environment. */
    readonly isMisuse = false,
  ) {
    super(message);
  }
}

const REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected, so nothing was done.";

/** Worded as Claude Code's refusals where readers recognize them and find the words. */
export function refusedOutcome(refusal: Refusal): ToolOutcome {
  const { feedback } = refusal;
  const content =
    feedback === undefined
      ? `${REJECTED} Stop, and wait for the user to say how to continue.`
      : `${REJECTED} To tell you how to proceed, the user said:\n${feedback}`;
  return { content, data: "User rejected tool use", isError: true, refusal };
}
