import type { Observation } from "../observe/observation.js";
import { jsonText, type NameAttributes, plainValue } from "./attribute.js";

const TYPES = { turn: "agent", agent: "agent", generation: "generation", tool: "tool", error: "event" } as const;

/** Session, user, tags and trace name are on every span, as Langfuse requires since version 4. */
export const nameLangfuse: NameAttributes = (observation, trace) => ({
  "langfuse.trace.name": trace.name,
  "langfuse.trace.tags": trace.tags.length === 0 ? undefined : trace.tags,
  "langfuse.session.id": trace.sessionId,
  "langfuse.user.id": trace.userId ?? undefined,
  "langfuse.observation.type": TYPES[observation.kind],
  "langfuse.observation.input": jsonText(observation.input),
  "langfuse.observation.output": jsonText(observation.output),
  "langfuse.observation.level": observation.level,
  "langfuse.observation.status_message": observation.statusMessage ?? undefined,
  ...named("langfuse.observation.metadata", observation.metadata),
  ...(observation.parentSpanId === null ? nameTrace(observation) : {}),
  ...(observation.generation === null ? {} : nameGeneration(observation.generation)),
});

function named(prefix: string, metadata: Observation["metadata"]): ReturnType<NameAttributes> {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`${prefix}.${key}`, plainValue(value)]));
}

function nameTrace({ input, output, metadata }: Observation): ReturnType<NameAttributes> {
  return {
    "langfuse.trace.input": jsonText(input),
    "langfuse.trace.output": jsonText(output),
    ...named("langfuse.trace.metadata", metadata),
  };
}

function nameGeneration(generation: NonNullable<Observation["generation"]>): ReturnType<NameAttributes> {
  const { model, costUsd, speed } = generation;
  return {
    "langfuse.observation.model.name": model ?? undefined,
    "langfuse.observation.model.parameters": speed === "fast" ? jsonText({ speed }) : undefined,
    "langfuse.observation.usage_details": jsonText(usageDetails(generation)),
    "langfuse.observation.cost_details": costUsd === null ? undefined : jsonText({ total: costUsd }),
  };
}

/** Disjoint kinds with their own prices; Langfuse adds them up. */
function usageDetails({ usage, outputKnown }: NonNullable<Observation["generation"]>): object | undefined {
  if (usage === null) return undefined;
  const details = {
    input: usage.input,
    ...(outputKnown ? { output: usage.output } : {}),
    input_cache_read: usage.cacheRead,
    input_cache_creation_5m: usage.cacheWrite5m,
    input_cache_creation_1h: usage.cacheWrite1h,
  };
  const isAlways = (key: string) => key === "input" || key === "output";
  return Object.fromEntries(Object.entries(details).filter(([key, count]) => isAlways(key) || count > 0));
}
