import { existsSync, readFileSync } from "node:fs";
import { arrayAt, stringAt, tryParseJson } from "../../format/json.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { workflowFiles, workflowRunOf } from "../../format/layout/session-paths.js";

/** The step of a workflow that a sub-agent did (2.1.326). */
export interface WorkflowStep {
  readonly runId: string;
  readonly name: string | null; // of the workflow
  readonly phase: string | null;
  readonly label: string | null;
  /** Of the run: `completed`, … */
  readonly status: string | null;
  /** The file with script, state and result of the run. */
  readonly resultPath: string | null;
}

/** Undefined for a sub-agent that is not part of a workflow. Files of a run are read once. */
export function workflowReader(): (subagentFile: string, meta: unknown) => WorkflowStep | undefined {
  const runs = new Map<string, Run>();
  return (path, meta) => {
    const runId = workflowRunOf(path);
    if (runId === undefined) return undefined;
    const known = runs.get(runId) ?? readRun(path);
    runs.set(runId, known);
    const step = known.steps.get(stepKey(path));
    return {
      runId,
      name: known.name,
      phase: step?.phase ?? stringAt(meta, "workflowPhase") ?? null,
      label: step?.label ?? stringAt(meta, "description") ?? null,
      status: known.status,
      resultPath: known.resultPath,
    };
  };
}

interface Run extends Pick<WorkflowStep, "name" | "status" | "resultPath"> {
  readonly steps: ReadonlyMap<string, { readonly phase: string | undefined; readonly label: string | undefined }>;
}

/** By the id in the file's name. */
function stepKey(path: string): string {
  return /agent-([^/\\]+)\.jsonl$/.exec(path)?.[1] ?? "";
}

/** The result is written at the end; the journal tells the steps of a run that is still going on. */
function readRun(subagentFile: string): Run {
  const { journal, result } = workflowFiles(subagentFile);
  const json = tryParseJson(readText(result));
  const steps = [
    ...readText(journal)
      .split("\n")
      .map(tryParseJson)
      .filter((line) => stringAt(line, "type") === "started")
      .map((line) => [line, stringAt(line, "phase")] as const),
    ...arrayAt(json, "workflowProgress").map((step) => [step, stringAt(step, "phaseTitle")] as const),
  ];
  return {
    name: stringAt(json, "workflowName") ?? null,
    status: stringAt(json, "status") ?? null,
    resultPath: existsSync(result) ? result : null,
    steps: new Map(
      steps.flatMap(([step, phase]) => {
        const agentId = stringAt(step, "agentId");
        return agentId === undefined ? [] : [[agentId, { phase, label: stringAt(step, "label") }] as const];
      }),
    ),
  };
}

function readText(path: string): string {
  return existsSync(path) ? (attempt(path, [], () => readFileSync(path, "utf8")) ?? "") : "";
}
