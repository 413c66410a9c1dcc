import { maskNames } from "../../app/mask-names.js";
import { describeMentions, describePurged } from "../../app/organize/describe-mentions.js";
import type { TrashEntry } from "../../app/organize/trash.js";
import { maskingRedactor } from "../../app/redaction.js";
import type { SharedMention } from "../../library/shared-files/shared-mentions.js";
import type { Deletable } from "../../library/trash/delete-sessions.js";
import { formatBytes, formatCount, formatTime, lastFolder } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { paintPlainTable } from "../../render/terminal/lists/list-table.js";
import type { Io } from "../io.js";
import { printedJson } from "../terminal/printed-json.js";

export interface Deletion {
  readonly dryRun: boolean;
  readonly sessions: readonly Deletable[];
  readonly spared: readonly { readonly id: string; readonly path: string; readonly reason: string }[];
  /** What names the sessions in files that they share with others, by path. */
  readonly mentions: ReadonlyMap<string, readonly SharedMention[]>;
  readonly isPurged: boolean;
}

/** What was moved to the trash, or would be. */
export async function writeDeletion(
  deletion: Deletion,
  { json, dryRun: isAsked }: { readonly json?: boolean; readonly dryRun?: boolean },
  io: Io,
): Promise<void> {
  const { dryRun, spared, isPurged } = deletion;
  const remainsOf = (path: string) =>
    (deletion.mentions.get(path) ?? []).filter(({ isPurgeable }) => !(isPurgeable && isPurged));
  const redactor = await maskingRedactor(io);
  const sessions = deletion.sessions.map(({ id, path, title, project, sizeBytes, endedAt, items }) => ({
    ...maskNames({ id, path, title, project }, redactor),
    sizeBytes,
    endedAt,
    files: items.filter(({ kind }) => kind !== "folder").length,
    remains: remainsOf(path),
  }));
  const sizeBytes = sessions.reduce((sum, session) => sum + session.sizeBytes, 0);
  if (json) return io.stdout(printedJson({ dryRun, sizeBytes, sessions, spared }, io));
  if (sessions.length > 0) {
    const rows = sessions.map(({ id, title, project, endedAt, files, ...session }) => [
      neutralize(id.slice(0, 8)),
      formatTime(endedAt),
      formatBytes(session.sizeBytes),
      formatCount(files, "file"),
      neutralize(lastFolder(project)),
      neutralize(title),
    ]);
    await io.stdout(`${paintPlainTable(rows)}\n`);
  }
  for (const { id, reason } of spared) io.stderr(neutralize(`${id} kept: ${reason}\n`));
  const remains = sessions.flatMap((session) => session.remains);
  for (const line of describeMentions(remains)) io.stderr(`${line}\n`);
  const purged = isPurged ? describePurged([...deletion.mentions.values()].flat()) : "";
  if (purged !== "") io.stderr(`${dryRun ? "would be removed" : "removed"} with --purge: ${purged}\n`);
  else if (remains.some(({ isPurgeable }) => isPurgeable)) io.stderr(`${dryRun ? HOW_TO_PURGE : HOW_TO_PURGE_LATER}\n`);
  const what = `${formatCount(sessions.length, "session")}, ${formatBytes(sizeBytes)}`;
  if (!dryRun) io.stderr(`moved to the trash: ${what} (undo with \`turnlog restore\`)\n`);
  else if (sessions.length === 0) io.stderr("no session would be deleted\n");
  else io.stderr(`would be deleted: ${what}${isAsked ? "" : " (add --yes to delete)"}\n`);
}

const HOW_TO_PURGE = "--purge removes these traces too";
const HOW_TO_PURGE_LATER = "to remove these traces too, restore the session and delete it with --purge";

interface JsonOption {
  readonly json?: boolean;
}

export async function printTrash(sessions: readonly TrashEntry[], { json }: JsonOption, io: Io): Promise<void> {
  if (json) await io.stdout(printedJson(sessions, io));
  else if (sessions.length === 0) io.stderr("the trash is empty\n");
  else await io.stdout(paintTrash(sessions));
}

export async function printEmptied(
  sessions: readonly TrashEntry[],
  isRemoved: boolean,
  { json }: JsonOption,
  io: Io,
): Promise<void> {
  if (json) await io.stdout(printedJson(sessions, io));
  else if (sessions.length > 0) await io.stdout(paintTrash(sessions));
  const size = formatBytes(sessions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const what = `${formatCount(sessions.length, "session")}, ${size}`;
  io.stderr(isRemoved ? `removed for good: ${what}\n` : `would be removed for good: ${what} (add --yes to remove)\n`);
}

function paintTrash(sessions: readonly TrashEntry[]): string {
  const rows = sessions.map(({ id, title, deletedAt, sizeBytes, files, interrupted }) => [
    neutralize(id.slice(0, 8)),
    `deleted ${formatTime(deletedAt)}`,
    formatBytes(sizeBytes),
    formatCount(files, "file"),
    `${interrupted ? "(interrupted) " : ""}${neutralize(title)}`,
  ]);
  return `${paintPlainTable(rows)}\n`;
}
