import {
  affectedVersions,
  type MeasuredVersion,
  PROBLEM_CODES,
  type ProblemCode,
  type Severity,
} from "./problem-codes.js";

/** Something wrong with a session file; line 0 is the file as a whole. */
export interface Problem {
  readonly line: number;
  readonly code: ProblemCode;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string | null;
  /** The measured versions that it affects; empty: none, or it was not measured. */
  readonly versions: readonly MeasuredVersion[];
}

export interface ProblemLog {
  add(code: ProblemCode, line: number, detail?: string | number): void;
  /** For problems that a file has everywhere or nowhere: listed at the first occurrence. */
  addOnce(code: ProblemCode, line: number, detail?: string): void;
  list(): { readonly problems: Problem[]; readonly unlisted: UnlistedProblems[] };
}

export interface UnlistedProblems {
  readonly code: ProblemCode;
  readonly severity: Severity;
  readonly count: number;
}

/** Per code. */
const MAX_LISTED = 100;

export function createProblemLog(): ProblemLog {
  const problems: Problem[] = [];
  const counts = new Map<ProblemCode, number>();
  const listed = new Set<string>();

  function add(code: ProblemCode, line: number, detail: string | number = ""): void {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count > MAX_LISTED) return;
    const { severity, message, fix } = PROBLEM_CODES[code];
    problems.push({
      line,
      code,
      severity,
      message: message(shorten(String(detail))),
      fix,
      versions: affectedVersions(code, detail),
    });
  }

  function addOnce(code: ProblemCode, line: number, detail = ""): void {
    const key = `${code} ${detail}`;
    if (listed.has(key)) return;
    if ((counts.get(code) ?? 0) < MAX_LISTED) listed.add(key);
    add(code, line, detail);
  }

  function list() {
    const unlisted = [...counts]
      .filter(([, count]) => count > MAX_LISTED)
      .map(([code, count]) => ({ code, severity: PROBLEM_CODES[code].severity, count: count - MAX_LISTED }));
    return { problems: problems.toSorted((a, b) => a.line - b.line), unlisted };
  }

  return { add, addOnce, list };
}

const MAX_DETAIL = 200;

/** Details come from the file and may have any length. */
function shorten(detail: string): string {
  return detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL)}…` : detail;
}
