import type { Appendix, AppendixFile, AppendixSession, AppendixText } from "../../edit/handoff/gather-appendix.js";
import { formatCost, formatCount, formatTime, formatTimeRange, formatTokens, totalTokens } from "../format-values.js";
import { codeSpan, containMarkdown, plainWords, quoted } from "./contain-text.js";

/** For a reviewer, as Markdown without HTML: a heading, then each session. Only turnlog writes headings of the first and second level. */
export function appendixMarkdown(appendix: Appendix): string[] {
  const { pullRequest, url, totals, sessions, leftOut } = appendix;
  const figures = [
    formatCount(totals.sessions, "session"),
    formatCount(totals.turns, "turn"),
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ];
  const isShared = sessions.some(({ otherPullRequests }) => otherPullRequests.length > 0);
  const notes = [
    ...(isShared
      ? ["Some sessions are linked to other pull requests too: what they did and cost is counted whole."]
      : []),
    ...(leftOut > 0
      ? [`${formatCount(leftOut, "entry was", "entries were")} cut or left out to keep this short.`]
      : []),
  ];
  const head = `# Sessions behind ${plainWords(pullRequest)}\n\n${[isWebAddress(url) ? `<${url}>` : plainWords(url ?? ""), figures.join(" · "), ...notes].filter((line) => line !== "").join("\n\n")}\n`;
  return [head, ...sessions.map((session) => `\n${sessionSection(session)}`)];
}

function isWebAddress(url: string | null): url is string {
  return url !== null && /^https?:\/\/[\w.~:/?#@!$&'*+,;=%-]+$/i.test(url);
}

function sessionSection(session: AppendixSession): string {
  const { id, title, project, gitBranch, startedAt, endedAt, turns, costUsd, otherPullRequests } = session;
  const facts = [
    `Session: ${codeSpan(id)}`,
    ...(project === null ? [] : [`Project: ${codeSpan(project)}`]),
    ...(gitBranch === null ? [] : [`Git branch: ${codeSpan(gitBranch)}`]),
    `Time: ${plainWords(formatTimeRange(startedAt, endedAt))}`,
    `Totals: ${formatCount(turns, "turn")} · ${formatCost(costUsd)}`,
    ...(otherPullRequests.length === 0 ? [] : [`Also linked to: ${otherPullRequests.map(plainWords).join(", ")}`]),
  ];
  return [
    `## ${plainWords(title) || "Session"}\n\n${list(facts)}`,
    section("Prompts", session.prompts.map(quotedText).join("\n")),
    section("Decisions", session.decisions.map(quotedText).join("\n")),
    section("Files changed", list(session.files.map(describeFile))),
    section("Tests run", list(session.tests.map(describeTest))),
    section("Commits", list(session.commits.map(describeCommit))),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** A reviewer wants to see that there were none. */
function section(title: string, body: string): string {
  return `### ${title}\n\n${body === "" ? "None recorded.\n" : body}`;
}

function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}\n`).join("");
}

/** Without the room before its first line, which would need a comment to stay. */
function quotedText({ turn, at, text }: AppendixText): string {
  const when = at === null ? "" : `, ${formatTime(at)}`;
  return `Turn ${turn}${when}:\n\n${quoted(containMarkdown(text.trimStart(), { isQuoted: true }))}`;
}

function describeFile({ path, name, isNew, added, removed }: AppendixFile): string {
  const lines = added === null || removed === null ? "" : `: +${added} -${removed}`;
  return `${codeSpan(name ?? path)}${isNew ? " (new)" : ""}${lines}`;
}

function describeTest({ command, runs, status, told }: AppendixSession["tests"][number]): string {
  const often = runs > 1 ? `, ${runs} runs, the last` : "";
  return `${codeSpan(command)}${often}: ${status}${told === "" ? "" : ` (${plainWords(told)})`}`;
}

function describeCommit({ sha, subject, at }: AppendixSession["commits"][number]): string {
  const when = at === null ? "" : `, ${formatTime(at)}`;
  return `${codeSpan(sha)}${subject === null ? "" : ` ${plainWords(subject)}`}${when}`;
}
