import { parseMoment } from "../../library/load/session-summary.js";
import {
  isInterrupted,
  listTrash,
  removeFromTrash,
  sizeOf,
  type TrashedSession,
  withTrash,
} from "../../library/trash/trash.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { maskNames } from "../mask-names.js";
import { maskingRedactor } from "../redaction.js";
import { dataFolderOf, type Environment } from "../settings.js";

/** A deleted session as lists show it. */
export type TrashEntry = ReturnType<typeof describeTrashed>;

export async function listTrashed(environment: Environment): Promise<readonly TrashEntry[]> {
  const redactor = await maskingRedactor(environment);
  return withTrash(dataFolderOf(environment), (trash) =>
    listTrash(trash).map((session) => describeTrashed(session, redactor)),
  );
}

export interface EmptyTrashOptions {
  /** Only sessions deleted before: `30d`, a date. */
  readonly olderThan?: string;
  readonly dryRun: boolean;
}

/** Removes deleted sessions for good. Returns those that were, or would be, removed. */
export async function emptyTrash(
  { olderThan, dryRun }: EmptyTrashOptions,
  environment: Environment,
): Promise<readonly TrashEntry[]> {
  const before = olderThan === undefined ? Number.POSITIVE_INFINITY : parseMoment(olderThan);
  const redactor = await maskingRedactor(environment);
  return withTrash(dataFolderOf(environment), (trash) => {
    const removed = listTrash(trash).filter(({ deletedAt }) => Date.parse(deletedAt) < before);
    if (!dryRun) for (const session of removed) removeFromTrash(session);
    return removed.map((session) => describeTrashed(session, redactor));
  });
}

export function describeTrashed(session: TrashedSession, redactor: Redactor) {
  const { id, path, title, project, deletedAt, items } = session;
  const files = items.filter(({ stored }) => stored !== null).length;
  return {
    ...maskNames({ id, path, title, project }, redactor),
    deletedAt,
    sizeBytes: sizeOf(items),
    files,
    interrupted: isInterrupted(session),
  };
}
