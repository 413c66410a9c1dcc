import * as z from "zod";
import { UserError } from "../../errors.js";
import { type LoadedSession, loadSession } from "../../library/load-session.js";
import { resolveListed } from "../../library/name-session.js";
import type { SessionSummary } from "../../library/session-summary.js";
import type { AskedLibrary } from "./asked-library.js";

export const sessionField = z
  .string()
  .min(1)
  .max(400)
  .describe("The session: its id, a unique beginning of it, its exact title, or `last` for the latest activity");

/** Never by path: a client chooses among the sessions that are listed, not among the files of the machine. */
export async function findSession(name: string, library: AskedLibrary): Promise<SessionSummary> {
  if (/^~|[/\\]|\.jsonl$/i.test(name)) {
    const hint = "name it by id, a unique beginning of it, exact title, or `last`; list_sessions shows the ids";
    throw new UserError("usage", "a session cannot be named by a path here", hint);
  }
  return resolveListed(name, await library.list());
}

export async function openNamedSession(name: string, library: AskedLibrary): Promise<LoadedSession> {
  return library.open(await findSession(name, library));
}

export const agentField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("A sub-agent of the session, by its agentId: its turns instead of the session's own");

/** The session, or one of its sub-agents. */
export async function openAgent(
  name: string,
  agentId: string | undefined,
  library: AskedLibrary,
): Promise<LoadedSession> {
  const session = await openNamedSession(name, library);
  if (agentId === undefined) return session;
  const agents = session.subagents().filter(({ path }) => path !== session.path);
  const agent = agents.find((candidate) => candidate.agentId === agentId);
  if (agent) return loadSession(agent.path, await library.knowledge());
  const ids = agents.slice(0, 10).map((candidate) => candidate.agentId);
  const hint =
    ids.length > 0
      ? `there are ${ids.join(", ")}; session_outline shows them all`
      : "it has none with a file of their own";
  throw new UserError("not-found", `the session has no sub-agent ${agentId}`, hint);
}
