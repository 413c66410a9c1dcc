import type { EditPlan } from "../../edit/plans/edit-plan.js";
import { resumeCommand } from "../resume-command.js";
import type { EditPlace } from "./edit-target.js";

/** What an edit will do, or did. */
export interface EditReport {
  readonly plan: EditPlan;
  readonly target: EditPlace;
  /** The title of the new session as it is shown: titles may hold secrets. */
  readonly shownTitle: string | null;
  readonly sideFiles: number | null; // null: not written yet
  /** What was added to the source after the plan was made. */
  readonly addedBytes?: number;
}

/** The JSON of all edit commands. */
export interface EditJson {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  readonly removed: number; // records
  readonly kept: number;
  readonly tokensBefore: number; // estimates
  readonly tokensAfter: number;
  readonly command: string;
  readonly title: string | null;
  /** By reason: records removed or changed, and the estimated tokens that saves. */
  readonly removedBy: Readonly<Record<string, number>>;
  readonly changedBy: Readonly<Record<string, number>>;
  readonly savedTokens: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly problems?: EditPlan["problems"];
  readonly sideFiles: number | null;
  readonly dryRun: boolean;
  readonly resume: string | null;
}

export function toEditJson({ plan, target, shownTitle, sideFiles }: EditReport): EditJson {
  const { command, source, removed, kept, tokensBefore, tokensAfter, notes, problems } = plan;
  return {
    id: target.id,
    path: target.path,
    source: source.id,
    removed,
    kept,
    tokensBefore,
    tokensAfter,
    command,
    title: shownTitle,
    removedBy: Object.fromEntries(countReasons(plan, "remove")),
    changedBy: Object.fromEntries(countReasons(plan, "replace")),
    savedTokens: Object.fromEntries(plan.savedTokens),
    notes,
    ...(problems === undefined ? {} : { problems }),
    sideFiles,
    dryRun: sideFiles === null,
    resume: target.isFound ? resumeCommand(target.id, target.cwd, target.configRoot) : null,
  };
}

/** Records removed or changed, by reason. One that changes and also gets another place is changed. */
export function countReasons({ changes }: EditPlan, kind: "remove" | "replace"): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const change of changes.values()) {
    const { reason } = change;
    const isCounted = (change.kind === "remove") === (kind === "remove");
    if (isCounted && reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}
