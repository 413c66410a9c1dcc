import type { UsageCounters } from "../../format/record/usage-counters.js";
import type { MessageOutline } from "../../session/messages/message.js";
import { maxCounters, toUsage } from "../../session/messages/usage.js";
import { keyHash, type MessageFigures } from "../../session/number-rows.js";
import { type Database, prepareOnce } from "../../store/sqlite.js";
import { type Copy, MESSAGES, mergeCopies } from "../catalog/number-kinds.js";
import { gatherMessages, type MessageSpan } from "../entries/ledger.js";

/** A message as one file has it. */
interface Row extends UsageCounters {
  readonly key: number;
  readonly file: number;
  readonly session: number;
  readonly path: string;
  readonly time: number | null;
  readonly model: string | null;
  readonly speed: string | null;
  readonly isCopied: number;
}

/**
 * Counts what a file holds: all its messages, or some that were appended. A message that several files hold counts once, as the
 * statistics have it: where it was made, with the highest of each counter.
 */
export function countMessages(
  db: Database,
  file: Pick<Row, "file" | "session" | "path">,
  messages: readonly MessageOutline[],
  isWhole: boolean,
): void {
  const found = new Map(messages.map((message) => [keyHash("message", message.id ?? message.key), message]));
  const gone = isWhole ? keysIn(db, file.file).filter((key) => !found.has(key)) : [];
  const sums = new Map<string, Change>();
  for (const key of [...gone, ...found.keys()]) {
    const before = rowsOf(db, key);
    const others = before.filter((row) => row.file !== file.file);
    const known = isWhole ? undefined : before.find((row) => row.file === file.file);
    const message = found.get(key);
    const row = message && { ...file, key, ...toRow(message, known) };
    if (row) writeRow(db, row);
    else prepareOnce(db, "DELETE FROM messages WHERE key = ? AND file = ?").run(key, file.file);
    addUp(sums, countOf(before), -1);
    addUp(sums, countOf(row ? [...others, row] : others), 1);
  }
  for (const change of sums.values()) writeChange(db, change);
}

function keysIn(db: Database, file: number): number[] {
  const select = prepareOnce<{ key: number }>(db, "SELECT key FROM messages WHERE file = ?");
  return select.all(file).map(({ key }) => key);
}

function rowsOf(db: Database, key: number): Row[] {
  return prepareOnce<Row>(
    db,
    `SELECT m.key, m.file, m.time, m.model, m.speed, m.is_copied AS isCopied, m.input, m.output, m.cache_read AS cacheRead,
      m.cache_write AS cacheWrite, m.cache_write_5m AS cacheWrite5m, m.cache_write_1h AS cacheWrite1h,
      m.web_searches AS webSearches, m.web_fetches AS webFetches, f.session, f.path
    FROM messages m JOIN files f ON f.id = m.file WHERE m.key = ?`,
  ).all(key);
}

type Figures = Omit<Row, "key" | "file" | "session" | "path">;

/** What later lines of a message say goes before, but its time is that of the first. */
function toRow(message: MessageOutline, known: Figures | undefined): Figures {
  const own = message.counters ?? NOTHING;
  return {
    ...(known ? maxCounters(known, own) : own),
    time: known?.time ?? message.time ?? null,
    model: message.model ?? known?.model ?? null,
    speed: message.speed ?? known?.speed ?? null,
    isCopied: message.isCopied ? 1 : 0,
  };
}

const NOTHING: UsageCounters = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  webSearches: 0,
  webFetches: 0,
};

function writeRow(db: Database, row: Row): void {
  const { key, file, time, model, speed, isCopied, input, output, cacheRead, cacheWrite } = row;
  const { cacheWrite5m, cacheWrite1h, webSearches, webFetches } = row;
  const counters = [input, output, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h, webSearches, webFetches];
  const values = [key, file, time, model, speed, isCopied, ...counters];
  const marks = values.map(() => "?").join(", ");
  prepareOnce(db, `INSERT OR REPLACE INTO messages VALUES (${marks})`).run(...values);
}

/** What the copies of one message count for. */
interface Counted {
  readonly session: number;
  readonly span: MessageSpan;
}

function countOf(rows: readonly Row[]): Counted | undefined {
  const [only] = rows;
  if (!only) return undefined;
  const copies = rows.map((row): Copy<MessageFigures> => {
    return { key: row.key, file: row.file, isCopied: row.isCopied === 1, figures: toFigures(row) };
  });
  const pathOf = (file: number) => rows.find((row) => row.file === file)?.path;
  const merged = mergeCopies(copies, pathOf, MESSAGES.join)[0] ?? { file: only.file, figures: toFigures(only) };
  const session = rows.find(({ file }) => file === merged.file)?.session ?? only.session;
  const [span] = gatherMessages([merged.figures]);
  return span && { session, span };
}

/** Parts of a session, its branches and doubts about a figure make no difference to what it spent. */
function toFigures(row: Row): MessageFigures {
  const { time, model, speed } = row;
  return { time, model, speed, gitBranch: null, part: "active", usage: toUsage(row), isOutputKnown: true };
}

interface Change extends Counted {
  readonly times: number[]; // 1 or -1 for each
  readonly spans: MessageSpan[];
}

function addUp(sums: Map<string, Change>, counted: Counted | undefined, times: number): void {
  if (!counted) return;
  const { session, span } = counted;
  const key = `${span.slot} ${session} ${span.model} ${span.speed}`;
  const change = sums.get(key) ?? { ...counted, times: [], spans: [] };
  sums.set(key, change);
  change.times.push(times);
  change.spans.push(span);
}

function writeChange(db: Database, { session, span, spans, times }: Change): void {
  const sum = (read: (of: MessageSpan) => number) =>
    spans.reduce((all, one, at) => all + (times[at] ?? 0) * read(one), 0);
  const figures = [sum(({ messages }) => messages), ...USAGE.map((name) => sum(({ usage }) => usage[name]))];
  if (figures.every((figure) => figure === 0)) return;
  const values = [span.slot, session, span.model ?? "", span.speed ?? "", ...figures];
  prepareOnce(
    db,
    `INSERT INTO spent VALUES (${values.map(() => "?").join(", ")}) ON CONFLICT DO UPDATE SET ${ADD}`,
  ).run(...values);
}

const USAGE = ["input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h", "webSearches", "webFetches"] as const;
export const SUMMED = "messages, input, output, cache_read, cache_write_5m, cache_write_1h, web_searches, web_fetches";
const ADD = SUMMED.replaceAll(/\w+/g, (name) => `${name} = ${name} + excluded.${name}`);
