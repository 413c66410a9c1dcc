import { toWellFormed } from "../../format/json.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { Observation, ObservationEvent, Trace } from "../observe/observation.js";

/** `all`; `prompts`: prompts and answers without tool input and output; `none`: no text. */
export type ContentChoice = "all" | "prompts" | "none";

export interface ContentOptions {
  readonly content: ContentChoice;
  /** Null leaves secrets in. */
  readonly redactor: Redactor | null;
  /** Per input or output; each attribute vocabulary repeats it. */
  readonly maxValueChars?: number;
}

const MAX_VALUE_CHARS = 200_000;

/** What leaves of a trace: selected, redacted, well-formed, and of limited length. */
export function prepareContent(trace: Trace, options: ContentOptions): Trace {
  const { redactor } = options;
  const text = (value: string, place: string) => redactor?.text(value, place) ?? value;
  return {
    ...trace,
    tags: trace.tags.map((tag) => text(tag, "tags")),
    observations: trace.observations.map((observation) => prepare(observation, options)),
  };
}

function prepare(observation: Observation, options: ContentOptions): Observation {
  const { kind, level } = observation;
  const isShown = options.content === "all" || (options.content === "prompts" && kind !== "tool");
  const input = isShown ? clean(observation.input, "input", options) : NOTHING;
  const output = isShown ? clean(observation.output, "output", options) : NOTHING;
  const status = isShown || level !== "ERROR" ? observation.statusMessage : "failed";
  const facts = options.content === "none" ? withoutWords(observation.metadata) : observation.metadata;
  const metadata = clean(facts, "metadata", options).value as Observation["metadata"];
  const cut = [...(input.isCut ? ["input"] : []), ...(output.isCut ? ["output"] : [])];
  return {
    ...observation,
    name: clean(observation.name, "name", options).value as string,
    input: input.value,
    output: output.value,
    statusMessage: status === null ? null : (clean(status, "status", STATUS_LIMIT(options)).value as string),
    metadata: cut.length === 0 ? metadata : { ...metadata, truncated: cut },
    events: observation.events.map((event) => prepareEvent(event, options)),
  };
}

/** The description of a sub-agent is text of the model. */
function withoutWords({ description: _words, ...facts }: Observation["metadata"]): Observation["metadata"] {
  return facts;
}

const STATUS_LIMIT = (options: ContentOptions): ContentOptions => ({ ...options, maxValueChars: 2000 });
const NOTHING = { value: undefined, isCut: false };

function prepareEvent(event: ObservationEvent, options: ContentOptions): ObservationEvent {
  const isShown = options.content === "all" || (options.content === "prompts" && event.name === "follow-up");
  const content = isShown && event.content !== null ? (clean(event.content, "events", options).value as string) : null;
  return { ...event, content };
}

interface Cleaned {
  readonly value: unknown;
  readonly isCut: boolean;
}

function clean(value: unknown, place: string, { redactor, maxValueChars = MAX_VALUE_CHARS }: ContentOptions): Cleaned {
  if (value === undefined || value === null) return { value, isCut: false };
  const redacted = redactor ? redact(value, place, redactor) : value;
  return cut(withoutNul(toWellFormed(redacted).value), maxValueChars);
}

function redact(value: unknown, place: string, redactor: Redactor): unknown {
  return typeof value === "string" ? redactor.text(value, place) : redactor.json(value, place);
}

/** Databases of backends reject NUL in text. */
function withoutNul(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
  const json = JSON.stringify(value);
  return json.includes("\\u0000")
    ? JSON.parse(json, (_, part) => (typeof part === "string" ? withoutNul(part) : part))
    : value;
}

/** Long texts and messages are cut, with a note at the end; any other long value becomes text first. */
function cut(value: unknown, limit: number): Cleaned {
  if (typeof value === "string") return cutText(value, limit);
  const json = JSON.stringify(value);
  if (json.length <= limit) return { value, isCut: false };
  const { role, content } = value as { readonly role?: unknown; readonly content?: unknown };
  if (typeof role === "string" && typeof content === "string") {
    return { value: { role, content: cutText(content, limit).value }, isCut: true };
  }
  return cutText(json, limit);
}

function cutText(text: string, limit: number): Cleaned {
  if (text.length <= limit) return { value: text, isCut: false };
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return { value: `${text.slice(0, end)}… [cut by turnlog: ${end} of ${text.length} characters]`, isCut: true };
}
