import type { PatchHunk } from "../../format/structured-patch.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";

/** What a tool call did, for any surface: terminal, Markdown and HTML paint the same parts. */
export interface ToolView {
  /** One line, in words: a path, a command, what was looked for. Empty where the name of the tool says it all. */
  readonly title: string;
  readonly parts: readonly ViewPart[];
}

export type ViewTool = (call: ToolCall) => ToolView;

export type ViewPart =
  | CodePart
  | DiffPart
  | { readonly kind: "text"; readonly text: string; readonly label?: string; readonly isError?: true }
  | { readonly kind: "markdown"; readonly text: string; readonly label?: string }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "todos"; readonly items: readonly TodoItem[] }
  | { readonly kind: "image"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "json"; readonly value: unknown; readonly label?: string }
  | { readonly kind: "agent"; readonly agentId: string | null; readonly description: string };

/** Source code, or what a program printed. */
export interface CodePart {
  readonly kind: "code";
  readonly text: string;
  /** A name that highlighters know, such as `typescript`; null for plain output. */
  readonly language: string | null;
  readonly firstLine?: number; // of an excerpt
  readonly label?: string;
  readonly isError?: true;
}

export interface DiffPart {
  readonly kind: "diff";
  readonly path: string | null;
  readonly language: string | null;
  readonly hunks: readonly PatchHunk[];
}

export interface TodoItem {
  readonly text: string;
  readonly state: "open" | "active" | "done";
}
