import type { Io } from "../app/io.js";
import { maskingRedactor } from "../app/redaction.js";
import type { Deletable } from "../library/delete-sessions.js";
import { formatBytes, formatCount, formatTime, lastFolder } from "../render/format-values.js";
import { neutralize } from "../render/neutralize.js";
import { paintTable } from "../render/table.js";

export interface Deletion {
  readonly dryRun: boolean;
  readonly sessions: readonly Deletable[];
  readonly spared: readonly { readonly id: string; readonly path: string; readonly reason: string }[];
}

/** What went to the trash, or would go. */
export async function writeDeletion(
  deletion: Deletion,
  { json, dryRun: isAsked }: { readonly json?: boolean; readonly dryRun?: boolean },
  io: Io,
): Promise<void> {
  const { dryRun, spared } = deletion;
  const redactor = maskingRedactor();
  const sessions = deletion.sessions.map(({ id, path, title, project, sizeBytes, endedAt, items }) => ({
    id,
    path,
    title: redactor.text(title, "title"),
    project,
    sizeBytes,
    endedAt,
    files: items.filter(({ kind }) => kind !== "folder").length,
  }));
  const sizeBytes = sessions.reduce((sum, session) => sum + session.sizeBytes, 0);
  if (json) return io.stdout(`${JSON.stringify({ dryRun, sizeBytes, sessions, spared }, null, 2)}\n`);
  if (sessions.length > 0) {
    const rows = sessions.map(({ id, title, project, endedAt, files, ...session }) => [
      neutralize(id.slice(0, 8)),
      formatTime(endedAt),
      formatBytes(session.sizeBytes),
      formatCount(files, "file"),
      neutralize(lastFolder(project)),
      neutralize(title),
    ]);
    await io.stdout(`${paintTable(rows)}\n`);
  }
  for (const { id, reason } of spared) io.stderr(neutralize(`${id} stays: ${reason}\n`));
  const what = `${formatCount(sessions.length, "session")}, ${formatBytes(sizeBytes)}`;
  if (!dryRun) io.stderr(`moved to the trash: ${what} (\`turnlog restore\` puts back)\n`);
  else if (sessions.length === 0) io.stderr("no session would go\n");
  else io.stderr(`would go: ${what}${isAsked ? "" : " (--yes does it)"}\n`);
}
