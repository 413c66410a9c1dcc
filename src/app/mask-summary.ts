import type { SessionSummary } from "../library/load/session-summary.js";
import type { Redactor } from "../redact/create-redactor.js";

/** Everything else in a list is names and numbers. */
export function maskSummary(session: SessionSummary, redactor: Redactor): SessionSummary {
  const masked = (text: string | null) => (text === null ? null : redactor.text(text, "title"));
  return {
    ...session,
    title: redactor.text(session.title, "title"),
    userTitle: masked(session.userTitle),
    note: masked(session.note),
  };
}
