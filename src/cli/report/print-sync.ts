import type { SyncOutcome } from "../../app/organize/sync.js";
import type { SyncedFolder, SyncedMachine, SyncedProject } from "../../app/organize/sync-status.js";
import { formatBytes, formatCount } from "../../render/format-values.js";
import { paintPlainTable } from "../../render/terminal/lists/list-table.js";

const MAX_REFUSED = 5;

/** What one sync did, with its last newline. */
export function paintOutcome({ membership, sent, received, problems }: SyncOutcome): string {
  const rows = [
    ["sent", sent.sessions === 0 ? "nothing new" : describe(sent)],
    ...received.map((machine) => [
      oneLine(`from ${machine.name}`),
      [machine.sessions === 0 ? "nothing new" : describe(machine), ...waitingFor(machine.waiting)].join(", "),
    ]),
  ];
  const refused = received.flatMap((machine) => machine.refused);
  const shown = refused
    .slice(0, MAX_REFUSED)
    .map(
      ({ machine, session, reason }) => `refused from ${machine}${session === null ? "" : ` (${session})`}: ${reason}`,
    );
  const more = refused.length > MAX_REFUSED ? [`and ${refused.length - MAX_REFUSED} more refused`] : [];
  const skipped = problems.slice(0, MAX_REFUSED).map(({ path, reason }) => `skipped ${path}: ${reason}`);
  return toLines([
    `${membership.folder}, as ${membership.name}${howOf(membership)}`,
    ...paintPlainTable(rows)
      .split("\n")
      .map((row) => `  ${row}`),
    ...[...shown, ...more, ...skipped, ...(sent.isAlone ? [] : [NOT_ALONE])].map((line) => `  ${line}`),
  ]);
}

/** A copied home folder or virtual machine has the identity of the one that it was copied from. */
const NOT_ALONE =
  "this machine's part has files that were not sent from here: a copy of this computer sends as this one, or turnlog's data was restored from a backup; on a copy, `turnlog sync remove` the folder and sync it again";

function describe({ sessions, bytes }: { readonly sessions: number; readonly bytes: number }): string {
  return `${formatCount(sessions, "session")}, ${formatBytes(bytes)}`;
}

function waitingFor(files: number): string[] {
  return files === 0 ? [] : [`waiting for ${formatCount(files, "file")} to arrive`];
}

function howOf({ redact, encrypted }: { readonly redact: boolean; readonly encrypted: boolean }): string {
  const how = [redact ? "redacted" : [], encrypted ? "encrypted" : []].flat();
  return how.length === 0 ? "" : ` (${how.join(", ")})`;
}

export function paintSyncStatus(folder: SyncedFolder): string {
  const away = folder.isAvailable ? "" : ": not available";
  return toLines([
    `${folder.folder}, as ${folder.name}${howOf(folder)}${away}`,
    `  sent: ${formatCount(folder.sent, "session")}`,
    ...folder.machines.flatMap(paintMachine),
    ...(folder.machines.length === 0 ? ["  no other machine yet: run `turnlog sync` with this folder on it"] : []),
  ]);
}

function paintMachine({ name, sessions, projects, waiting, refused, alsoHere }: SyncedMachine): string[] {
  const { same, ahead, behind, fork } = alsoHere;
  const shared = [
    same > 0 ? [`${same} the same`] : [],
    ahead > 0 ? [`${ahead} longer there`] : [],
    behind > 0 ? [`${behind} longer here`] : [],
    fork > 0 ? [`${fork} forked`] : [],
  ].flat();
  return [
    `  ${name}: ${[formatCount(sessions, "session"), ...waitingFor(waiting)].join(", ")}`,
    ...(shared.length === 0 ? [] : [`    also here: ${shared.join(", ")}`]),
    ...refused.slice(0, MAX_REFUSED).map(({ reason }) => `    refused: ${reason}`),
    ...paintPlainTable(projects.map(projectRow))
      .split("\n")
      .map((row) => `    ${row}`),
  ];
}

function projectRow({ remote, path, sessions }: SyncedProject): string[] {
  return [String(sessions), oneLine(remote ?? `${path ?? "unknown folder"} (no git remote)`)];
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => `${oneLine(line)}\n`).join("");
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, " ");
}
