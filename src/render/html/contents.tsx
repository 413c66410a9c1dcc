import { formatCount } from "../format-values.js";
import type { ContentsEntry } from "./contents-entry.js";
import { Icon } from "./icon.js";

/** Every turn by its prompt, with what stands out in it. */
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
