import type { RedactionReport } from "../../redact/tally.js";
import { formatCount } from "../../render/format-values.js";

/** What was redacted, by kind and place; never the values themselves. */
export function describeRedaction({ total, byKind, byPlace, secrets }: RedactionReport): string {
  if (total === 0) return "redacted: nothing found\n";
  const counts = (kinds: Readonly<Record<string, number>>) =>
    Object.entries(kinds)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ");
  const places = Object.entries(byPlace).map(([place, kinds]) => `  ${place}: ${counts(kinds)}\n`);
  const distinct = secrets === 0 ? "" : ` (${formatCount(secrets, "different secret")})`;
  return `redacted: ${counts(byKind)}${distinct}\n${places.join("")}`;
}
