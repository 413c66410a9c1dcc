import { UserError } from "../errors.js";
import type { SessionActivity } from "../library/running/running-sessions.js";
import type { Redactor } from "../redact/create-redactor.js";
import { neutralize } from "../render/safe-text.js";

/** What works on a session: "running in process 123: waiting at a permission prompt for 2 min". */
export function describeActivity(activity: SessionActivity, redactor: Redactor, now = Date.now()): string {
  const clean = (text: string) => cleanState(text, redactor);
  switch (activity.kind) {
    case "client": {
      const { pid, isCertain, since } = activity;
      const where = isCertain ? `running in process ${pid}` : `possibly running in process ${pid} elsewhere`;
      return `${where}: ${describeStatus(activity, clean)}${describeSince(since, now)}`;
    }
    case "job": {
      const { jobId, needs, since } = activity;
      return `a background job (${jobId}): ${needs === null ? "not ended" : `needs ${clean(needs)}`}${describeSince(since, now)}`;
    }
    case "chat":
      return "in a chat of turnlog";
    case "recent":
      return "written to in the last five minutes";
  }
}

/** Refuses to take the files away from what works on them. */
export function inUse(id: string, activity: SessionActivity, redactor: Redactor): UserError {
  if (activity.kind === "chat")
    return new UserError("busy", `turnlog is writing to session ${id}`, "end the chat first");
  const message =
    activity.kind === "recent"
      ? `session ${id} had activity in the last five minutes and may still be running`
      : `session ${id} is ${describeActivity(activity, redactor)}`;
  return new UserError("busy", message, "end it first, or use --force");
}

const WAITING: Readonly<Record<string, string>> = {
  "permission prompt": "at a permission prompt",
  "input needed": "for an answer",
  "dialog open": "at an open dialog",
  "sandbox request": "at a sandbox request",
  "worker request": "at a request of a worker",
  "goal proposal": "for an answer to a proposed goal",
};

function describeStatus(
  { status, waitingFor }: SessionActivity & { readonly kind: "client" },
  clean: (text: string) => string,
): string {
  if (status === "waiting") return `waiting ${WAITING[waitingFor ?? ""] ?? `for ${clean(waitingFor ?? "input")}`}`;
  if (status === "busy") return "working";
  if (status === "shell") return "in a shell";
  return status === null ? "starting" : clean(status);
}

function describeSince(since: number | null, now: number): string {
  return since === null ? "" : ` for ${roughly(Math.max(0, now - since) / 1000)}`;
}

function roughly(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

/** Written by another program, and may quote what a user or a model wrote. */
function cleanState(text: string, redactor: Redactor): string {
  return neutralize(redactor.text(text.replaceAll(/\s+/g, " "), "state").slice(0, 100));
}
