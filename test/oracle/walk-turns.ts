import { classifyUser, classifyWrapper, promptText, unwrap } from "./classify-user.js";
import { stringAt } from "./json-at.js";
import { isAnswer } from "./message-key.js";
import type { QueuedMessages } from "./queued-messages.js";
import type { Row } from "./read-session.js";

export type TurnKind = "prompt" | "command" | "bash" | "notification";

interface Stretch {
  readonly rows: Row[];
  readonly locals: string[];
  interrupted: boolean;
  followUps: number;
}

export interface WalkedTurn extends Stretch {
  readonly kind: TurnKind;
  readonly start: Row;
  prompt: string;
}

/** DESIGN 3.1 over one branch in display order. */
export function walkTurns(
  rows: readonly Row[],
  queued: QueuedMessages,
): { readonly preamble: Stretch; readonly turns: readonly WalkedTurn[] } {
  const preamble = emptyStretch();
  const turns: WalkedTurn[] = [];
  rows.forEach((row, index) => {
    const isFollowUp = isQueuedFollowUp(rows, index, turns.at(-1), queued);
    const part = isFollowUp ? undefined : turnOfPart(row, turns.at(-1));
    const kind = isFollowUp || part ? null : startKind(rows, index);
    if (part) part.prompt += `\n${promptText(row)}`;
    if (kind !== null) turns.push({ ...emptyStretch(), kind, prompt: promptOf(row, kind), start: row });
    const stretch = turns.at(-1) ?? preamble;
    stretch.rows.push(row);
    if (isFollowUp || isQueuedCommand(row)) stretch.followUps += 1;
    stretch.followUps += queued.unrecorded.filter((it) => it.uuid === row.uuid).length;
    if (row.type === "user" && classifyUser(row) === "interrupt") stretch.interrupted = true;
    if (kind === null) stretch.locals.push(...localOf(row, rows[index - 1]));
  });
  return { preamble, turns };
}

function emptyStretch(): Stretch {
  return { rows: [], locals: [], interrupted: false, followUps: 0 };
}

function startKind(rows: readonly Row[], index: number): TurnKind | null {
  const candidate = candidateKind(rows[index]);
  if (candidate === null || candidate === "prompt") return candidate;
  const next = rows.slice(index + 1).find((row) => isAnswer(row) || candidateKind(row) !== null);
  return next !== undefined && isAnswer(next) ? candidate : null;
}

function candidateKind(row: Row | undefined): TurnKind | null {
  if (row?.type !== "user") return null;
  const kind = classifyUser(row);
  return kind === "prompt" || kind === "command" || kind === "bash" || kind === "notification" ? kind : null;
}

function promptOf(row: Row, kind: TurnKind): string {
  return kind === "prompt" ? promptText(row) : unwrap(promptText(row), kind);
}

/**
 * One prompt in several rows: the next row is the child of the one before and has its time. Resumed copies of 2.0.76
 * have a row for each block, and agents of workflows (2.1.326) begin with what the user asked for and their own task.
 */
function turnOfPart(row: Row, turn: WalkedTurn | undefined): WalkedTurn | undefined {
  const before = turn?.rows.at(-1);
  if (before === undefined || candidateKind(row) !== "prompt" || candidateKind(before) !== "prompt") return undefined;
  const isNext = before.uuid !== null && row.json["parentUuid"] === before.uuid;
  return isNext && stringAt(row.json, "timestamp") === stringAt(before.json, "timestamp") ? turn : undefined;
}

/** A prompt that was queued during this turn and stands directly behind a tool result. */
function isQueuedFollowUp(
  rows: readonly Row[],
  index: number,
  turn: WalkedTurn | undefined,
  queued: QueuedMessages,
): boolean {
  const row = rows[index];
  if (row === undefined || turn === undefined || candidateKind(row) !== "prompt") return false;
  const before = rows.slice(0, index).findLast(({ type }) => type === "user" || type === "assistant");
  if (before?.type !== "user" || classifyUser(before) !== "tool-result") return false;
  return queued.enqueued.some(
    ({ line, text }) => line > turn.start.line && line < row.line && text.trim() === promptText(row),
  );
}

/** FACTS 5.4: delivered in the middle of a turn, as 2.1.325 writes it. */
function isQueuedCommand({ json }: Row): boolean {
  return (
    stringAt(json, "attachment", "type") === "queued_command" &&
    ["prompt", null].includes(stringAt(json, "attachment", "commandMode")) &&
    ["human", null].includes(stringAt(json, "attachment", "origin", "kind"))
  );
}

/** What stayed local and stands here: a command as typed; its output only where no command stands before it. */
function localOf(row: Row, previous: Row | undefined): string[] {
  const kind = commandKind(row);
  if (kind === "command" || kind === "bash") return [unwrap(promptText(row), kind)];
  if (kind === "output" && (previous === undefined || commandKind(previous) === null)) {
    return [unwrap(promptText(row), "output")];
  }
  return [];
}

function commandKind(row: Row): "command" | "bash" | "output" | null {
  const isLocalCommand = row.type === "system" && row.json["subtype"] === "local_command";
  const kind = isLocalCommand ? classifyWrapper(promptText(row)) : row.type === "user" ? classifyUser(row) : null;
  return kind === "command" || kind === "bash" || kind === "output" ? kind : null;
}
