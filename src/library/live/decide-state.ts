import type { LiveFacts } from "./live-files.js";

/**
 * `working`: the model or a tool is at work. `waiting`: for a person. `stuck`: it should be at work, and nothing happens. `finished`:
 * what it was asked is done and nothing runs any more, as far as that can be told. `failed`: it ended in the middle.
 */
export type LiveState = "working" | "waiting" | "stuck" | "finished" | "failed";

/** What a waiting session waits for. */
export type WaitsFor = "permission" | "answer" | "prompt" | "other";

/** What is known of a session's process. */
export interface ProcessState {
  /** `registry`: as its process says; `job`: as its background job says; `chat`: a chat of turnlog; `killed`, `none`: no process. */
  readonly known: "registry" | "job" | "chat" | "killed" | "none";
  readonly status: string | null;
  readonly waitingFor: string | null;
  readonly since: number | null; // of the status, ms since the epoch
  readonly isSuspended: boolean;
}

export interface Decision {
  readonly state: LiveState;
  readonly waitsFor: WaitsFor | null;
  /** In words: "permission prompt", "Bash: npm test", "suspended". */
  readonly detail: string | null;
  readonly since: number | null;
}

/** A session that should be at work and neither writes nor has a call that runs. */
const SILENCE_MS = 10 * 60_000;

export function decideState(process: ProcessState, facts: LiveFacts | undefined, now: number): Decision {
  const { known, isSuspended, since } = process;
  if (isSuspended) return { state: "stuck", waitsFor: null, detail: "suspended", since };
  if (known === "killed" || known === "none") return withoutProcess(known, facts);
  if (known === "job") return ofJob(process, facts, now);
  if (known === "chat" && process.status === null)
    return facts?.isTurnOpen ? atWork(facts, since, now) : waiting("prompt", null, facts?.writtenAt ?? since);
  switch (process.status) {
    case "waiting":
      return waiting(waitsFor(process.waitingFor), detailOf(process, facts), since);
    case "idle":
      return waiting("prompt", null, since);
    case "shell":
      return { state: "working", waitsFor: null, detail: "in a shell", since };
    default:
      return atWork(facts, since, now);
  }
}

const waiting = (what: WaitsFor, detail: string | null, since: number | null): Decision => {
  return { state: "waiting", waitsFor: what, detail, since };
};

function waitsFor(text: string | null): WaitsFor {
  if (text === "input needed" || text === "goal proposal") return "answer";
  return text === "permission prompt" || text === "sandbox request" || text === "worker request"
    ? "permission"
    : "other";
}

/** Of a permission or an answer, the call that needs it: the kind of prompt is told already. */
function detailOf({ waitingFor }: ProcessState, facts: LiveFacts | undefined): string | null {
  if (waitsFor(waitingFor) === "other") return waitingFor;
  const call = facts?.openCalls.at(-1);
  return call ? `${call.name}: ${call.summary}` : null;
}

function atWork(facts: LiveFacts | undefined, since: number | null, now: number): Decision {
  const call = facts?.openCalls.at(-1);
  const isSilent = now - Math.max(since ?? 0, facts?.writtenAt ?? 0) > SILENCE_MS;
  if (isSilent && !call && (facts?.agents.length ?? 0) === 0)
    return { state: "stuck", waitsFor: null, detail: "no sign of life", since: facts?.writtenAt ?? since };
  const detail = call ? `${call.name}: ${call.summary}` : null;
  return { state: "working", waitsFor: null, detail, since: call?.since ?? since };
}

/** `blocked` with a need is a question to a person; of a job without one its state counts. */
function ofJob({ status, waitingFor, since }: ProcessState, facts: LiveFacts | undefined, now: number): Decision {
  if (waitingFor !== null) return waiting("answer", waitingFor, since);
  if (status === "failed" || status === "crashed") return { state: "failed", waitsFor: null, detail: status, since };
  if (status === "done" || status === "stopped") return { state: "finished", waitsFor: null, detail: status, since };
  return atWork(facts, since, now);
}

function withoutProcess(known: "killed" | "none", facts: LiveFacts | undefined): Decision {
  const since = facts?.writtenAt ?? null;
  if (facts?.endsInApiError) return { state: "failed", waitsFor: null, detail: "API error", since };
  if (facts?.isTurnOpen) {
    const detail = known === "killed" ? "its process was killed" : "ended in the middle of a turn";
    return { state: "failed", waitsFor: null, detail, since };
  }
  return { state: "finished", waitsFor: null, detail: known === "killed" ? "its process was killed" : null, since };
}
