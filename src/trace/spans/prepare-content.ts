import type { Redactor } from "../../redact/create-redactor.js";
import type { Content } from "../observe/conversation.js";
import type { Generation, Observation, ObservationEvent, Trace } from "../observe/observation.js";
import { type Cleaner, createCleaner } from "./clean-content.js";
import { type HashName, hideNames } from "./hide-names.js";

/** `all`; `prompts`: prompts, thinking and answers without tool input and output; `none`: no text, and hashes for names. */
export type ContentChoice = "all" | "prompts" | "none";

/** What generations have as input: what is `new` to the model, such as the results of its calls, or the `full` conversation. */
export type InputChoice = "new" | "full";

export interface ContentOptions {
  readonly content: ContentChoice;
  /** Null leaves secrets in. */
  readonly redactor: Redactor | null;
  readonly input?: InputChoice | undefined; // "new" without it
  /** For `none`; without it names become `hidden`. */
  readonly hashName?: HashName | undefined;
  /** Per input or output; each attribute vocabulary repeats it. */
  readonly maxValueChars?: number;
}

const MAX_VALUE_CHARS = 200_000;
const MAX_STATUS_CHARS = 2000;

/** What leaves of a trace: selected, redacted, well-formed, and of limited length. */
export function prepareContent(trace: Trace, options: ContentOptions): Trace {
  const shown = options.content === "none" ? hideNames(trace, options.hashName) : trace;
  const { redactor, content, maxValueChars = MAX_VALUE_CHARS } = options;
  const cleaner = createCleaner({ redactor, maxValueChars, keepsTools: content === "all" });
  return {
    ...shown,
    name: cleaner.text(shown.name, "name"),
    sessionId: cleaner.text(shown.sessionId, "id"),
    tags: shown.tags.map((tag) => cleaner.text(tag, "tags")),
    observations: shown.observations.map((observation) => prepare(observation, options, cleaner)),
  };
}

function prepare(observation: Observation, options: ContentOptions, cleaner: Cleaner): Observation {
  const { generation, effects } = observation;
  if (observation.kind === "tool") cleaner.callAndResult(observation.input, observation.output);
  const input = isShown(observation, options, "input")
    ? cleaner.content(inputOf(observation, options), "input")
    : NOTHING;
  const output = isShown(observation, options, "output") ? cleaner.content(observation.output, "output") : NOTHING;
  const metadata = cleaner.json(observation.metadata, "metadata");
  const cut = [...(input.isCut ? ["input"] : []), ...(output.isCut ? ["output"] : [])];
  return {
    ...observation,
    name: cleaner.text(observation.name, "name"),
    input: input.value,
    output: output.value,
    statusMessage: statusOf(observation, options, cleaner),
    metadata: cut.length === 0 ? metadata : { ...metadata, truncated: cut },
    events: observation.events.map((event) => prepareEvent(event, options, cleaner)),
    generation: generation && prepareGeneration(generation, cleaner),
    effects: effects && cleaner.json(effects, "metadata"),
  };
}

const NOTHING = { value: undefined, isCut: false };

/** What tools, hooks and compactions took and gave is not what a person or the model said. */
function isShown({ kind }: Observation, { content }: ContentOptions, side: "input" | "output"): boolean {
  if (content === "none") return false;
  if (content === "all") return true;
  return kind === "turn" || kind === "agent" || kind === "generation" || (kind === "followUp" && side === "input");
}

function inputOf({ input, generation }: Observation, options: ContentOptions): Content | undefined {
  const choice = options.input ?? "new";
  if (generation === null || choice === "new" || input?.kind === "value") return input;
  const messages = [...generation.earlier, ...(input?.messages ?? [])];
  return messages.length === 0 ? undefined : { kind: "messages", messages };
}

/** Texts of ours, which tell nothing of a session. */
const OWN_STATUS: ReadonlySet<string> = new Set([
  "interrupted",
  "interrupted while it streamed",
  "no result was recorded",
]);

function statusOf(observation: Observation, options: ContentOptions, cleaner: Cleaner): string | null {
  const { kind, level, statusMessage } = observation;
  if (statusMessage === null) return null;
  const isText = !OWN_STATUS.has(statusMessage);
  const isOfTool = kind === "tool" || kind === "hook";
  if (isText && (options.content === "none" || (options.content === "prompts" && isOfTool))) {
    return level === "ERROR" ? "failed" : "stopped or failed";
  }
  return cleaner.text(statusMessage, "status", MAX_STATUS_CHARS);
}

function prepareEvent(event: ObservationEvent, { content }: ContentOptions, cleaner: Cleaner): ObservationEvent {
  return {
    ...event,
    content: content === "all" && event.content !== null ? cleaner.text(event.content, "events") : null,
  };
}

function prepareGeneration(generation: Generation, cleaner: Cleaner): Generation {
  const clean = (text: string | null) => (text === null ? null : cleaner.text(text, "name"));
  return {
    ...generation,
    model: clean(generation.model),
    responseId: clean(generation.responseId),
    stopReason: clean(generation.stopReason),
    speed: clean(generation.speed),
    agentType: clean(generation.agentType),
    earlier: [],
  };
}
