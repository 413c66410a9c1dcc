import { formatCount, formatTimeRange, formatTokens, lastFolder, totalTokens } from "../../format-values.js";
import {
  ALL_REWOUND_LABEL,
  describeCosts,
  describeMissingCounts,
  describeRelations,
  describeToolCalls,
} from "../../labels.js";
import { neutralize } from "../../safe-text.js";
import type { ShownHeader, ShownTotals } from "../../show-session.js";

interface SessionHeadingProps {
  readonly header: ShownHeader;
  readonly totals: ShownTotals;
}

export function SessionHeading({ header, totals }: SessionHeadingProps) {
  const { title, project, gitBranch, models, startedAt, endedAt, id, versions, prLinks } = header;
  const place = [lastFolder(project), gitBranch, models.join(", ")].filter((part) => part);
  return (
    <header class="session">
      <h1 dir="auto">{neutralize(title)}</h1>
      <p class="place" title={neutralize(project ?? "")}>
        <Dotted parts={[...place.map((part) => neutralize(part ?? "")), ...figures(totals, header)]} />
      </p>
      <p class="details">
        <Dotted
          parts={[
            formatTimeRange(startedAt, endedAt),
            `${formatTokens(totalTokens(totals.totalUsage))} tokens`,
            versions.length > 0 ? `Claude Code ${neutralize(versions.join(", "))}` : "",
            neutralize(id),
            ...describeRelations(header).map(neutralize),
            header.resumesEmpty ? "resumes empty: rewound to before its first prompt" : "",
            describeMissingCounts(totals.unknownOutputs),
            totals.brokenLines > 0 ? formatCount(totals.brokenLines, "broken line") : "",
          ]}
        />
      </p>
      {prLinks.length === 0 ? null : (
        <ul class="requests">
          {prLinks.map(({ url }, index) => (
            <li key={index}>
              pull request <Address url={url ?? ""} />
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

function figures(totals: ShownTotals, { resumesEmpty }: ShownHeader): string[] {
  return [
    ...(resumesEmpty ? [ALL_REWOUND_LABEL] : [formatCount(totals.turns, "turn"), describeToolCalls(totals)]),
    totals.apiErrors > 0 ? formatCount(totals.apiErrors, "API error") : "",
    ...describeCosts(totals, { resumesEmpty }),
  ];
}

function Dotted({ parts }: { readonly parts: readonly string[] }) {
  return parts
    .filter((part) => part !== "")
    .map((part, index) => (
      <span key={index} class="dotted">
        {part}
      </span>
    ));
}

function Address({ url }: { readonly url: string }) {
  const shown = neutralize(url);
  if (!/^https?:\/\//i.test(url)) return shown;
  return (
    <a href={shown} rel="noopener noreferrer">
      {shown}
    </a>
  );
}
