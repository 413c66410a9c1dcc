import { cutToColumns } from "../../session/titles.js";
import { formatCount } from "../format-values.js";
import { neutralize } from "../neutralize.js";
import type { ShownTurn } from "../shown-session.js";

/** A line of the contents list. */
export interface ContentsEntry {
  /** Where it leads: `#turn-…`, in another part `part-2.html#turn-…`. */
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
  return item.kind === "call" && item.call.status !== "ok" && item.call.status !== "orphan";
}
