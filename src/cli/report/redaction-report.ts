import type { RedactionReport } from "../../redact/create-redactor.js";

/** What was redacted, by kind and place; never the values themselves. */
export function describeRedaction({ total, byKind, byPlace }: RedactionReport): string {
  if (total === 0) return "redacted: nothing found\n";
  const counts = (kinds: Readonly<Record<string, number>>) =>
    Object.entries(kinds)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ");
  const places = Object.entries(byPlace).map(([place, kinds]) => `  ${place}: ${counts(kinds)}\n`);
  return `redacted: ${counts(byKind)}\n${places.join("")}`;
}
