import type { VerifyReport } from "../../session/verify.js";
import type { FoundProblems } from "../edit-plan.js";

/** By kind, what `verify` found before and what it finds after; what it only mentions is left out. */
export function countProblems(before: VerifyReport, after: VerifyReport): FoundProblems[] {
  const [found, left] = [countCodes(before), countCodes(after)];
  return [...new Set([...found.keys(), ...left.keys()])].map((code) => ({
    code,
    found: found.get(code) ?? 0,
    left: left.get(code) ?? 0,
  }));
}

function countCodes({ problems, unlisted }: VerifyReport): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (code: string, count: number) => counts.set(code, (counts.get(code) ?? 0) + count);
  for (const { code, severity } of problems) if (severity !== "info") add(code, 1);
  for (const { code, severity, count } of unlisted) if (severity !== "info") add(code, count);
  return counts;
}
