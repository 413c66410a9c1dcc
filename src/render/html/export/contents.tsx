import { cutToColumns } from "../../../text-width.js";
import { formatCount } from "../../format-values.js";
import { neutralize } from "../../safe-text.js";
import type { ShownTurn } from "../../show-session.js";
import { hasFailed } from "../../tools/view-parts.js";
import { Icon } from "../components/icon.js";

/** The list of turns by their prompts, with marks for failures, interruptions and compactions. */
export function Contents({ entries }: { readonly entries: readonly ContentsEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <ol class="contents">
      {entries.map((entry) => (
        <li key={entry.href}>
          {Array.from({ length: entry.compactions }, (_, index) => (
            <span key={index} class="contents-seam">
              <Icon name="seam" /> compacted
            </span>
          ))}
          <a href={entry.href} class={`to-${entry.kind}`}>
            <span class="index">{entry.index ?? <Icon name={entry.kind === "rewound" ? "fork" : "agent"} />}</span>
            <span class="label" dir="auto">
              {entry.label}
            </span>
            <Marks {...entry} />
          </a>
        </li>
      ))}
    </ol>
  );
}

function Marks({ errors, isInterrupted }: ContentsEntry) {
  return (
    <span class="marks">
      <span class="hits" />
      {isInterrupted ? <Icon name="interrupted" label="interrupted" /> : null}
      {errors > 0 ? (
        <span class="failed" title={`${errors} failed`}>
          <Icon name="error" label={`${formatCount(errors, "call")} failed`} />
        </span>
      ) : null}
    </span>
  );
}

/** A line of the contents list. */
export interface ContentsEntry {
  /** `#turn-…`, or `part-2.html#turn-…` in another part. */
  readonly href: string;
  readonly kind: "turn" | "rewound" | "agents";
  readonly index: number | null;
  readonly label: string;
  readonly errors: number;
  readonly compactions: number;
  readonly isInterrupted: boolean;
}

export function turnEntry({ turn, items }: ShownTurn, anchor: string): ContentsEntry {
  return {
    href: `#${anchor}`,
    kind: "turn",
    index: turn.index,
    label:
      labelOf(turn.prompt) || (turn.attached.length > 0 ? formatCount(turn.attached.length, "picture") : turn.kind),
    errors: items.filter(isFailure).length,
    compactions: items.filter(({ kind }) => kind === "compaction").length,
    isInterrupted: turn.interrupted,
  };
}

export function foldedEntry(kind: "rewound" | "agents", label: string, anchor: string): ContentsEntry {
  return { href: `#${anchor}`, kind, index: null, label, errors: 0, compactions: 0, isInterrupted: false };
}

const LABEL_COLUMNS = 90;

function labelOf(prompt: string): string {
  const words = prompt.slice(0, LABEL_COLUMNS * 8).replace(/\s+/g, " ");
  return cutToColumns(neutralize(words).trim(), LABEL_COLUMNS);
}

function isFailure(item: ShownTurn["items"][number]): boolean {
  if (item.kind === "text") return item.isApiError;
  return item.kind === "call" && hasFailed(item.call);
}
