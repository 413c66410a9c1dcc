import { parseMoment } from "../../library/load/session-summary.js";
import {
  isInterrupted,
  listTrash,
  removeFromTrash,
  sizeOf,
  type TrashedSession,
  withTrash,
} from "../../library/trash/trash.js";
import { maskingRedactor } from "../redaction.js";
import { dataFolderOf, type Environment } from "../settings.js";

/** A deleted session as lists show it. */
export type TrashEntry = ReturnType<typeof describeTrashed>;

export function listTrashed(environment: Environment): Promise<readonly TrashEntry[]> {
  return withTrash(dataFolderOf(environment), (trash) => listTrash(trash).map(describeTrashed));
}

export interface EmptyTrashOptions {
  /** Only sessions deleted before: `30d`, a date. */
  readonly olderThan?: string;
  readonly dryRun: boolean;
}

/** Removes deleted sessions for good. Returns those that were, or would be, removed. */
export function emptyTrash(
  { olderThan, dryRun }: EmptyTrashOptions,
  environment: Environment,
): Promise<readonly TrashEntry[]> {
  const before = olderThan === undefined ? Number.POSITIVE_INFINITY : parseMoment(olderThan);
  return withTrash(dataFolderOf(environment), (trash) => {
    const removed = listTrash(trash).filter(({ deletedAt }) => Date.parse(deletedAt) < before);
    if (!dryRun) for (const session of removed) removeFromTrash(session);
    return removed.map(describeTrashed);
  });
}

export function describeTrashed(session: TrashedSession) {
  const { id, path, title, project, deletedAt, items } = session;
  const files = items.filter(({ stored }) => stored !== null).length;
  return {
    id,
    path,
    title: maskingRedactor().text(title, "title"),
    project,
    deletedAt,
    sizeBytes: sizeOf(items),
    files,
    interrupted: isInterrupted(session),
  };
}
