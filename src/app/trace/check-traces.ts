import { UserError } from "../../errors.js";
import { formatCount } from "../../render/format-values.js";
import type { Check } from "../check-store.js";
import { type Environment, readSettings } from "../settings.js";
import { readTraceStatus, type TargetStatus, type TraceStatus } from "./trace-queue.js";

/** Whether the trace targets get what they should. Damage of their files is a check of its own. */
export async function checkTraces(environment: Environment): Promise<readonly Check[]> {
  const status = await readStatusOrNone(environment);
  return (status?.targets ?? []).filter(({ url }) => url !== null).map(describe);
}

function describe({ name, queued, refused, paused, problem, lastReason, fails, metrics }: TargetStatus): Check {
  const waiting = `${formatCount(queued, "span")} wait`;
  const warning = (found: string, hint: string): Check => ({ name: "traces", state: "warning", found, hint });
  const [first] = refused;
  if (problem !== null) return warning(`${name} cannot be used: ${problem}`, `${waiting} for it`);
  if (paused) return warning(`${name} refuses its key; ${waiting}`, "`turnlog trace install` replaces the key");
  if (queued > 0 && fails) {
    return warning(`${name} fails: ${lastReason}`, `${waiting}; \`turnlog trace status\` shows more`);
  }
  if (first) return warning(`${name} refused spans: ${first.reason}`, "`turnlog trace status` shows more");
  if (metrics && metrics.lastReason !== null && (metrics.queued > 0 || metrics.refused.length > 0)) {
    return warning(`${name} does not take metrics: ${metrics.lastReason}`, "`turnlog trace status` shows more");
  }
  return { name: "traces", state: "ok", found: `${name}: ${queued === 0 ? "nothing waits" : waiting}` };
}

async function readStatusOrNone(environment: Environment): Promise<TraceStatus | undefined> {
  try {
    const { trace } = await readSettings(environment);
    return trace?.targets?.length ? await readTraceStatus(environment) : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
