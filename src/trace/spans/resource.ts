import type { TargetSettings } from "./target-settings.js";

/** What all spans and metrics of a request have in common, as OpenTelemetry names it. */
export type Resource = Readonly<Record<string, string>>;

export const PLAIN_RESOURCE: Resource = { "service.name": "claude-code" };

export type ResourceSettings = Pick<
  TargetSettings,
  "attributes" | "environment" | "release" | "serviceName" | "resource"
>;

/** What the user gave wins. Phoenix and Arize file spans by project, Langfuse by environment and release. */
export function toResource({ attributes, environment, release, serviceName, resource }: ResourceSettings): Resource {
  const isFor = (name: typeof attributes) => attributes === name || attributes === "all";
  return {
    "service.name": serviceName,
    ...(release === null ? {} : { "service.version": release }),
    ...(environment === null ? {} : { "deployment.environment.name": environment }),
    ...(release !== null && isFor("langfuse") ? { "langfuse.release": release } : {}),
    ...(isFor("openinference") ? { "openinference.project.name": serviceName } : {}),
    ...resource,
  };
}
