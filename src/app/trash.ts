import { parseMoment } from "../library/load/session-summary.js";
import {
  isInterrupted,
  listTrash,
  removeFromTrash,
  sizeOf,
  type TrashedSession,
  withTrash,
} from "../library/trash/trash.js";
import { formatBytes, formatCount, formatTime } from "../render/format-values.js";
import { neutralize } from "../render/safe-text.js";
import { paintPlainTable } from "../render/terminal/lists/list-table.js";
import type { Io } from "./io.js";
import { maskingRedactor } from "./redaction.js";
import { dataFolderOf } from "./settings.js";

interface TrashOptions {
  readonly olderThan?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function listTrashed(options: TrashOptions, io: Io): Promise<void> {
  const sessions = await withTrash(dataFolderOf(io), (trash) => listTrash(trash).map(describeTrashed));
  await writeTrash(sessions, options, io);
  if (!options.json && sessions.length === 0) io.stderr("the trash is empty\n");
}

/** Says what would go, and removes it for good only with `--yes`. */
export async function emptyTrash(options: TrashOptions, io: Io): Promise<void> {
  const before = options.olderThan === undefined ? Number.POSITIVE_INFINITY : parseMoment(options.olderThan);
  const sessions = await withTrash(dataFolderOf(io), (trash) => {
    const doomed = listTrash(trash).filter(({ deletedAt }) => Date.parse(deletedAt) < before);
    if (options.yes) for (const session of doomed) removeFromTrash(session);
    return doomed.map(describeTrashed);
  });
  await writeTrash(sessions, options, io);
  const size = formatBytes(sessions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const what = `${formatCount(sessions.length, "session")}, ${size}`;
  io.stderr(options.yes ? `removed for good: ${what}\n` : `would be removed for good: ${what} (--yes does it)\n`);
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

async function writeTrash(sessions: readonly ReturnType<typeof describeTrashed>[], { json }: TrashOptions, io: Io) {
  if (json) return io.stdout(`${JSON.stringify(sessions, null, 2)}\n`);
  if (sessions.length === 0) return;
  const rows = sessions.map(({ id, title, deletedAt, sizeBytes, files, interrupted }) => [
    neutralize(id.slice(0, 8)),
    `deleted ${formatTime(deletedAt)}`,
    formatBytes(sizeBytes),
    formatCount(files, "file"),
    `${interrupted ? "(interrupted) " : ""}${neutralize(title)}`,
  ]);
  await io.stdout(`${paintPlainTable(rows)}\n`);
}
