import type { Database } from "../../store/sqlite.js";
import {
  type CallSpan,
  type MessageSpan,
  NO_SLOT,
  type PackedSpans,
  SLOT_MS,
  type TurnSpan,
} from "../entries/ledger.js";
import type { UserData } from "../found-session.js";
import { includesText, type SessionFilter } from "../load/session-summary.js";
import {
  CALLS,
  type Copy,
  MESSAGES,
  type Merged,
  mergeCopies,
  type NumberKind,
  readRows,
  TURNS,
} from "./number-kinds.js";
import { type NumbersFilter, type OwningSession, readScope, type Scope } from "./numbers-scope.js";

/** The numbers of one session and its sub-agents. */
export interface SessionNumbers {
  readonly session: OwningSession;
  readonly messages: readonly MessageSpan[];
  readonly calls: readonly CallSpan[];
  readonly turns: readonly TurnSpan[];
}

/** The numbers of the sessions below some roots, each message, call and turn once. Negative spans cancel copies. */
export interface LibraryNumbers {
  readonly sessions: readonly SessionNumbers[];
  /** Paths of sessions whose title has to be masked before it is shown. */
  readonly titlesToMask: ReadonlySet<string>;
}

/**
 * `since` and `until` select what is counted, `model` selects messages, `gitBranch` messages and turns, all other
 * filters sessions. Sessions without a selected message are left out.
 */
export function readLibraryNumbers(
  db: Database,
  roots: readonly string[],
  filter: NumbersFilter,
  userData: UserData = {},
): LibraryNumbers {
  const scope = readScope(db, roots, filter, userData);
  const ledgers = readLedgers(db, filter, filter.session === undefined ? undefined : [...scope.chosen.keys()]);
  const found = new Map<OwningSession, FoundNumbers>();
  const listsOf = (session: OwningSession) => {
    const known = found.get(session) ?? { session, messages: [], calls: [], turns: [] };
    found.set(session, known);
    return known;
  };
  readKind(db, MESSAGES, ledgers, scope, filter, (session) => listsOf(session).messages);
  readKind(db, CALLS, ledgers, scope, filter, (session) => listsOf(session).calls);
  readKind(db, TURNS, ledgers, scope, filter, (session) => listsOf(session).turns);
  return { sessions: selectMessages([...found.values()], filter), titlesToMask: scope.titlesToMask };
}

interface FoundNumbers {
  readonly session: OwningSession;
  readonly messages: MessageSpan[];
  readonly calls: CallSpan[];
  readonly turns: TurnSpan[];
}

/** Those of a model and a git branch. */
export function selectMessages(sessions: readonly SessionNumbers[], filter: NumbersFilter): readonly SessionNumbers[] {
  if (!selectsMessages(filter)) return sessions;
  return sessions.map((numbers) => selectSpans(numbers, filter)).filter(({ messages }) => messages.length > 0);
}

function selectsMessages({ model, gitBranch }: NumbersFilter): boolean {
  return model !== undefined || gitBranch !== undefined;
}

export function selectSpans(numbers: SessionNumbers, filter: NumbersFilter): SessionNumbers {
  if (!selectsMessages(filter)) return numbers;
  const { model, gitBranch } = filter;
  const isOfBranch = (span: { gitBranch: string | null }) => gitBranch === undefined || span.gitBranch === gitBranch;
  const isOfModel = (span: MessageSpan) => model === undefined || includesText(span.model ?? "", model);
  return {
    ...numbers,
    messages: numbers.messages.filter((span) => isOfBranch(span) && isOfModel(span)),
    turns: numbers.turns.filter(isOfBranch),
  };
}

export function messagesOf(sessions: readonly SessionNumbers[]): MessageSpan[] {
  return sessions.flatMap(({ messages }) => messages);
}

interface Ledger {
  readonly file: number;
  readonly messages: PackedSpans;
  readonly calls: PackedSpans;
  readonly turns: PackedSpans;
}

type TimeRange = Pick<SessionFilter, "since" | "until">;

const FILES_AT_ONCE = 2000;

/** Reads many ledgers as one JSON text: row by row takes several times as long. */
function readLedgers(db: Database, { since, until }: TimeRange, only?: readonly number[]): Ledger[] {
  const conditions = [since === undefined ? [] : "last >= :since", until === undefined ? [] : "first < :until"].flat();
  if (only) conditions.push(`file IN (${only.join(",")})`);
  const sql = `SELECT group_concat('[' || file || ',' || messages || ',' || calls || ',' || turns || ']') AS rows
    FROM ledgers WHERE ${["file >= :from AND file < :to", ...conditions].join(" AND ")}`;
  const select = db.prepare<{ rows: string | null }>(sql);
  const highest = db.prepare<{ file: number | null }>("SELECT max(file) AS file FROM ledgers").get()?.file ?? -1;
  const found: Ledger[] = [];
  for (let from = 0; from <= highest; from += FILES_AT_ONCE) {
    const times = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
    const { rows } = select.get({ from, to: from + FILES_AT_ONCE, ...times }) ?? { rows: null };
    for (const row of parseRows<readonly [number, PackedSpans, PackedSpans, PackedSpans]>(rows)) {
      found.push({ file: row[0], messages: row[1], calls: row[2], turns: row[3] });
    }
  }
  return found;
}

function parseRows<Row>(rows: string | null | undefined): Row[] {
  return JSON.parse(`[${rows ?? ""}]`) as Row[];
}

function readKind<Figures extends { readonly time: number | null }, Span extends { readonly slot: number }>(
  db: Database,
  kind: NumberKind<Figures, Span>,
  ledgers: readonly Ledger[],
  scope: Scope,
  range: TimeRange,
  listOf: (session: OwningSession) => Span[],
): void {
  for (const ledger of ledgers) {
    const session = scope.chosen.get(ledger.file);
    const spans = session ? kind.unpack(ledger[kind.column]) : [];
    if (!session || spans.length === 0) continue;
    const found = listOf(session);
    const cut = new Set<number>();
    for (const span of spans) {
      const part = partWithin(span.slot, range);
      if (part === "whole") found.push(span);
      if (part === "cut") cut.add(span.slot);
    }
    if (cut.size === 0) continue;
    const rows = readRows(db, kind, ledger.file);
    for (const slot of cut) found.push(...kind.gather(readSlot(rows, slot, range)));
  }
  correctCopies(db, kind, scope, range, listOf);
}

function partWithin(slot: number, { since, until }: TimeRange): "whole" | "cut" | "none" {
  if (since === undefined && until === undefined) return "whole";
  const start = slot * SLOT_MS;
  const end = start + SLOT_MS;
  if (slot === NO_SLOT || (since ?? start) >= end || (until ?? end) <= start) return "none";
  return (since ?? start) <= start && (until ?? end) >= end ? "whole" : "cut";
}

function readSlot<Figures extends { readonly time: number | null }>(
  rows: readonly Figures[],
  slot: number,
  { since = 0, until = Number.MAX_SAFE_INTEGER }: TimeRange,
): Figures[] {
  const from = Math.max(slot * SLOT_MS, since);
  const to = Math.min((slot + 1) * SLOT_MS, until);
  return rows.filter(({ time }) => time !== null && time >= from && time < to);
}

/** Adds what all copies together count for, and cancels what each of them counted. */
function correctCopies<Figures extends { readonly time: number | null }, Span extends { readonly slot: number }>(
  db: Database,
  kind: NumberKind<Figures, Span>,
  scope: Scope,
  range: TimeRange,
  listOf: (session: OwningSession) => Span[],
): void {
  const { counted, cancelled } = sortCopies(readMerged(db, kind, scope), scope, range);
  for (const [session, figures] of counted) listOf(session).push(...kind.gather(figures));
  for (const [session, figures] of cancelled) listOf(session).push(...kind.gather(figures).map(kind.negate));
}

type BySession<Figures> = Map<OwningSession, Figures[]>;

/** Grouped by session, which makes a few spans instead of thousands. A copy that already has the merged figures stays counted. */
export function sortCopies<Figures extends { readonly time: number | null }>(
  merged: readonly Merged<Figures>[],
  { chosen }: Scope,
  range: TimeRange,
): { readonly counted: BySession<Figures>; readonly cancelled: BySession<Figures> } {
  const counted: BySession<Figures> = new Map();
  const cancelled: BySession<Figures> = new Map();
  const add = (sums: BySession<Figures>, file: number, figures: Figures) => {
    const session = chosen.get(file);
    if (!session || !isWithin(figures.time, range)) return;
    const known = sums.get(session);
    if (known) known.push(figures);
    else sums.set(session, [figures]);
  };
  for (const { copies, file, figures } of merged) {
    if (!copies.some((copy) => copy.figures === figures)) add(counted, file, figures);
    for (const copy of copies) if (copy.figures !== figures) add(cancelled, copy.file, copy.figures);
  }
  return { counted, cancelled };
}

/** What occurs in several files of the scope, and how it is counted. */
export function readMerged<Figures extends { readonly time: number | null }, Span extends { readonly slot: number }>(
  db: Database,
  kind: NumberKind<Figures, Span>,
  { paths }: Scope,
): Merged<Figures>[] {
  return mergeCopies(readCopies(db, kind), (file) => paths.get(file), kind.join);
}

export function isWithin(time: number | null, { since, until }: TimeRange): boolean {
  if (since === undefined && until === undefined) return true;
  return time !== null && time >= (since ?? time) && time < (until ?? Number.POSITIVE_INFINITY);
}

function readCopies<Figures extends { readonly time: number | null }, Span extends { readonly slot: number }>(
  db: Database,
  { column, unpackRows }: NumberKind<Figures, Span>,
): Copy<Figures>[] {
  const sql = "SELECT group_concat('[' || file || ',' || row || ']') AS rows FROM copies WHERE kind = ?";
  const { rows } = db.prepare<{ rows: string | null }>(sql).get(column) ?? { rows: null };
  return parseRows<readonly [file: number, row: PackedSpans]>(rows).flatMap(([file, row]) =>
    unpackRows(row).map((figures) => ({ key: figures.key, file, isCopied: figures.isCopied, figures })),
  );
}
