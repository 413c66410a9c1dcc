import { UserError } from "../../errors.js";

/** How help describes the session that a command takes. */
export const SESSION = "file path, id, unique id prefix, exact title, or `last`";

type Choice = { readonly session: string; readonly pr?: undefined } | { readonly pr: string };

export function sessionOrPullRequest(session: string | undefined, { pr }: { readonly pr?: string }): Choice {
  if (pr === undefined && session !== undefined) return { session };
  if (pr !== undefined && session === undefined) return { pr };
  const problem = pr === undefined ? "a session or --pr is missing" : "name a session or --pr, not both";
  throw new UserError("usage", problem, "`turnlog list` lists all sessions");
}
