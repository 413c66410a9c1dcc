import { formatTimeRange } from "../format-values.js";
import { capitalize, describeForkContext, describeMissingCounts, describeTotals } from "../labels.js";
import type { ShownHeader, ShownSession, ShownTotals } from "../show-session.js";
import { codeSpan, plainWords } from "./contain-text.js";
import {
  itemsMarkdown,
  type MarkdownContext,
  type MarkdownOptions,
  subagentMarkdown,
  turnMarkdown,
} from "./turn-markdown.js";

/**
 * A session as one Markdown document, turn by turn. Only turnlog writes headings of the first and second level and
 * `<details>`: session content can neither open nor close them.
 */
export function* sessionMarkdown(session: ShownSession, options: MarkdownOptions): Generator<string> {
  const context: MarkdownContext = { session, options, depth: options.depth, shownAgents: new Set() };
  yield headerMarkdown(session.header, session.totals);
  yield* contextMarkdown(context);
  const preamble = session.preamble();
  if (preamble.length > 0) {
    yield "\n## Before the first turn\n";
    yield* itemsMarkdown(preamble, context);
  }
  for (const shown of session.turns()) {
    yield `\n## Turn ${shown.turn.index}\n`;
    yield* turnMarkdown(shown, context);
  }
  if (options.isWhole) yield* otherSubagents(context);
  for (const { leaf, turns } of session.rewound()) {
    yield `\n## Rewound branch ${codeSpan(leaf)}\n`;
    for (const shown of turns()) {
      yield `\n## Rewound turn ${shown.turn.index}\n`;
      yield* turnMarkdown(shown, context);
    }
  }
}

/** The conversation that a forked sub-agent began with, where its file is written alone. */
function* contextMarkdown(context: MarkdownContext): Generator<string> {
  const began = context.session.context();
  if (!began) return;
  yield `\n## Context\n\n${plainWords(capitalize(describeForkContext(began)))}\n`;
  for (const shown of began.turns()) {
    yield `\n## Context turn ${shown.turn.index}\n`;
    yield* turnMarkdown(shown, { ...context, session: { ...context.session, launchedBy: () => [] } });
  }
}

function headerMarkdown(header: ShownHeader, totals: ShownTotals): string {
  const { title, project, gitBranch, models, startedAt, endedAt, id, origin, continuedIn } = header;
  const missingCounts = describeMissingCounts(totals.unknownOutputs);
  const facts = [
    fact("Project", project === null ? "" : codeSpan(project)),
    fact("Git branch", gitBranch === null ? "" : codeSpan(gitBranch)),
    fact(models.length === 1 ? "Model" : "Models", plainWords(models.join(", "))),
    fact("Time", plainWords(formatTimeRange(startedAt, endedAt))),
    fact("Totals", describeTotals(totals, header)),
    missingCounts === "" ? "" : `- ${capitalize(missingCounts)}\n`,
    fact("Session", codeSpan(id)),
    fact(origin ? `${capitalize(origin.relation)} from` : "", origin ? codeSpan(origin.sessionId) : ""),
    fact("Continued in", continuedIn === null ? "" : codeSpan(continuedIn)),
    fact("Resumes", header.resumesEmpty ? "empty: rewound to before its first prompt" : ""),
    ...header.prLinks.map((link) => fact("Pull request", pullRequest(link))),
  ];
  return `# ${plainWords(title) || "Session"}\n\n${facts.join("")}`;
}

function fact(name: string, value: string): string {
  return value === "" ? "" : `- ${name}: ${value}\n`;
}

function pullRequest({ url, number, repository }: ShownHeader["prLinks"][number]): string {
  const name = `${repository ?? ""}${number === null ? "" : `#${number}`}`;
  const isSafe = url !== null && /^https?:\/\/[\w.~:/?#@!$&'*+,;=%-]+$/i.test(url);
  if (!isSafe) return plainWords([name, url].filter((part) => part).join(" "));
  return name === "" ? `<${url}>` : `[${plainWords(name)}](${url})`;
}

/** Sub-agents that no written call launched. Warm-ups are hidden: Claude Code launches them for itself. */
function* otherSubagents(context: MarkdownContext): Generator<string> {
  const { session, options, shownAgents, depth } = context;
  if (depth === 0 || options.tools === "none") return;
  const others = session.subagents().filter(({ agentId, warmup }) => !warmup && !shownAgents.has(agentId));
  if (others.length > 0) yield "\n## Other sub-agents\n";
  for (const subagent of others) yield* subagentMarkdown(subagent, context);
}
