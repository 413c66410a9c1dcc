import { UserError } from "../../errors.js";
import type { ContentChoice, InputChoice } from "../../trace/spans/prepare-content.js";
import { ATTRIBUTE_CHOICES, type AttributeChoice } from "../../trace/spans/to-spans.js";

/** The options that decide what spans contain, as text. */
export interface SpanFlags {
  readonly profile?: string;
  readonly attributes?: string; // its older name
  readonly content?: string;
  readonly input?: string;
}

export interface SpanChoices {
  readonly attributes?: AttributeChoice;
  readonly content?: ContentChoice;
  readonly input?: InputChoice;
}

export const PROFILE_HELP = `names of spans and attributes: ${ATTRIBUTE_CHOICES.join(", ")} (default: langfuse for Langfuse, else all)`;
export const INPUT_HELP = "input of later generations: new (what is new to the model) or full (the conversation)";
export const CONTENT_HELP =
  "what spans contain: all, prompts (no tool input or output) or none (no text) (default: all)";

export function parseSpanFlags({ profile, attributes = profile, content, input }: SpanFlags): SpanChoices {
  return {
    ...(attributes === undefined
      ? {}
      : { attributes: choose(profile === undefined ? "--attributes" : "--profile", attributes, ATTRIBUTE_CHOICES) }),
    ...(content === undefined ? {} : { content: choose("--content", content, CONTENT_CHOICES) }),
    ...(input === undefined ? {} : { input: choose("--input", input, ["new", "full"] as const) }),
  };
}

const CONTENT_CHOICES: readonly ContentChoice[] = ["all", "prompts", "none"];

export function choose<Choice extends string>(option: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === text);
  if (choice) return choice;
  throw new UserError(
    "usage",
    `${option} must be ${choices.join(", ")}, not "${text}"`,
    `for example ${option} ${choices[0]}`,
  );
}
