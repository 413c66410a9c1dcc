import { arrayAt, isObject, stringAt, tryParseJson } from "../../format/json.js";
import { type Mask, sendRequest, takesAnything } from "../../trace/outbox/send-request.js";
import type { Target } from "../../trace/outbox/target.js";

interface FineTarget {
  readonly kind: "fine";
  readonly found: string;
  /** What the backend calls that of the key. */
  readonly account: string | undefined;
  /** What its answers leave open. */
  readonly doubt?: string;
}

/** What a backend says to a key, before the target is installed. */
export type CheckedTarget =
  | FineTarget
  | { readonly kind: "unauthorized"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

const TAKES_ANYTHING =
  "it answers 2xx to a broken request, too: what it says it took may be lost. Run `turnlog trace test`, and look for the trace there";

/** Asks Langfuse for the project of the key, any other receiver to take an empty request, and not to take a broken one. */
export async function checkTarget(target: Target, mask: Mask): Promise<CheckedTarget> {
  if (target.problem !== null) return { kind: "failed", reason: target.problem };
  const project = target.kind === "langfuse" ? await askLangfuse(target) : undefined;
  if (project && project.kind !== "fine") return project;
  const result = await sendRequest(target, { signal: "traces", items: [] }, mask);
  if (result.kind !== "accepted")
    return { kind: result.kind === "unauthorized" ? "unauthorized" : "failed", reason: result.reason };
  if (project) return project;
  const fine = {
    kind: "fine",
    account: undefined,
    ...((await takesAnything(target)) ? { doubt: TAKES_ANYTHING } : {}),
  } as const;
  if (!target.metrics) return { ...fine, found: "it takes traces" };
  const metrics = await sendRequest(target, { signal: "metrics", items: [] }, mask);
  return metrics.kind === "accepted"
    ? { ...fine, found: "it takes traces and metrics" }
    : { kind: "failed", reason: `it takes traces, but no metrics (${metrics.reason}): remove --metrics` };
}

const LANGFUSE_OTLP = /\/api\/public\/otel\/v1\/traces$/;

async function askLangfuse({ url, headers, timeoutMs }: Target): Promise<CheckedTarget> {
  const address = url.replace(LANGFUSE_OTLP, "/api/public/projects");
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(address, { headers, redirect: "manual", signal });
    const text = await response.text();
    const { status } = response;
    if (status === 401 || status === 403)
      return { kind: "unauthorized", reason: `HTTP ${status}: the keys are refused` };
    const [project] = arrayAt(tryParseJson(text), "data");
    if (status === 200 && isObject(project)) return describeProject(project);
    return { kind: "failed", reason: `${address} does not answer as Langfuse does (HTTP ${status})` };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const reason = stringAt(cause, "code") ?? (error instanceof Error ? error.message : String(error));
    return { kind: "failed", reason: `${address} does not answer (${reason})` };
  }
}

function describeProject(project: object): CheckedTarget {
  const id = stringAt(project, "id");
  return {
    kind: "fine",
    found: `the keys are those of project ${stringAt(project, "name") ?? id ?? "?"}`,
    account: id,
  };
}
