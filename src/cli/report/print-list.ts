import { type FilterOptions, toFilter } from "../../app/filter-options.js";
import { linkWriters, toLinkFilter, withWriters } from "../../app/links/link-filter.js";
import { loadOptions } from "../../app/load-options.js";
import { maskNames } from "../../app/mask-names.js";
import { newComingLoss } from "../../app/organize/coming-loss.js";
import { describeTwin, openTwins } from "../../app/organize/twins.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { openCleanups, openStates } from "../../app/session-states.js";
import { readSettings } from "../../app/settings.js";
import { warnAboutSkipped } from "../../app/skipped-files.js";
import { UserError } from "../../errors.js";
import { type LibraryList, listLibrary } from "../../library/catalog/list-catalog.js";
import type { SessionList } from "../../library/catalog/list-sessions.js";
import type { SessionFilter, SessionSummary } from "../../library/load/session-summary.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { formatCount, formatTime } from "../../render/format-values.js";
import { type ListLayout, paintSessionList } from "../../render/terminal/lists/session-list.js";
import { createStyle } from "../../render/terminal/style.js";
import type { Io } from "../io.js";
import { MAX_INDEX_AGE_MS, startReader, withIndex } from "../library-index.js";
import type { IndexOptions } from "../options/filter-options.js";
import { isColoured } from "../terminal/is-coloured.js";
import { writePages } from "../terminal/pager.js";
import { printedJson } from "../terminal/printed-json.js";

export interface ListOptions extends FilterOptions, RootOptions, IndexOptions {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly reveal?: boolean;
  readonly pager?: boolean;
  readonly deleted?: boolean;
  readonly expiring?: boolean | string; // true: no number of days given
  readonly pr?: string;
  readonly commit?: string;
}

export async function writeList(options: ListOptions, io: Io): Promise<void> {
  if (options.deleted) return (await import("./print-deleted.js")).writeDeleted(options, io);
  const { limit, ...others } = { ...toFilter(options), ...(await toLinkFilter(options, io.cwd)) };
  const isExpiring = options.expiring !== undefined;
  const filter = isExpiring || limit === undefined ? others : { ...others, limit };
  const roots = await sessionRoots(io, options);
  const list = await readList(options, filter, roots, io);
  warnAboutSkipped(list.problems, io);
  for (const note of notesOn(list, filter, roots)) io.stderr(`${note}\n`);
  const masked = options.reveal ? list.sessions : await maskTexts(list, io);
  const stateOf = openStates(roots);
  const twinOf = await openTwins(io, options);
  const withState = (session: SessionSummary) => {
    const state = stateOf(session);
    const twin = twinOf(session);
    const told = twin ? { alsoHere: options.json ? twin.relation : describeTwin(twin) } : {};
    return options.json || twin || state.running !== null || state.archivedByClaude
      ? { ...session, ...state, ...told }
      : session;
  };
  const chosen = isExpiring ? expiringSessions(masked, roots, options).slice(0, limit) : masked;
  const sessions = chosen.map(withState); // a copy of each of ten thousand takes as long as their rows
  if (isExpiring && sessions.length === 0)
    io.stderr(`Claude Code deletes no session within ${formatCount(expiringDays(options), "day")}\n`);
  if (options.json) await io.stdout(printedJson(sessions, io));
  else if (sessions.length > 0)
    await writePages(paintSessionList(sessions, listLayout(options, io)), options.pager !== false, io);
  if (io.isTerminal && !options.json && !isExpiring) await warnOfLoss(options, io);
}

/** The newest sessions, as `list` shows them. */
export async function readNewest(limit: number, io: Io): Promise<readonly SessionSummary[]> {
  return maskTexts(await readList({}, { limit }, await sessionRoots(io, {}), io), io);
}

/** From the index, or from the files where they are fewer. */
export async function readList(options: ListOptions, filter: SessionFilter, roots: readonly string[], io: Io) {
  const load = await loadOptions(io);
  const use = { ...options, maxAgeMs: MAX_INDEX_AGE_MS, answersWithout: true };
  return withIndex(io, roots, use, async (index, sync, behind): Promise<LibraryList> => {
    const known = await withWriters(filter, io.cwd, { roots, archive: load.archive, db: index?.db, behind }, load);
    const list = await listLibrary(index, sync ?? behind, roots, known, load, behind, startReader);
    const holdsSubject = ({ commits }: SessionSummary) => commits.some(({ by }) => by === "content");
    const mayHoldSecret = (session: SessionSummary) => holdsSubject(session) || list.mayHoldSecret(session);
    return { ...list, sessions: linkWriters(list.sessions, known), mayHoldSecret };
  });
}

/** After the list, where a person sees it. */
async function warnOfLoss(options: ListOptions, io: Io): Promise<void> {
  const loss = await newComingLoss(io, options);
  if (loss === null) return;
  const count = `${loss.isAtLeast ? "at least " : ""}${formatCount(loss.sessions, "session")}`;
  const when = `within 7 days, the first from ${formatTime(loss.firstAt)} on`;
  io.warn(`Claude Code deletes ${count} ${when}; \`turnlog archive on\` keeps them`);
}

const EXPIRING_DAYS = 7;
const DAY_MS = 86_400_000;

interface ExpiringSession extends SessionSummary {
  /** Null: only parts of it go. */
  readonly deletedAfter: string | null;
  readonly deletedParts: readonly { readonly path: string; readonly deletedAfter: string }[];
}

function expiringDays({ expiring }: ListOptions): number {
  const days = typeof expiring === "string" ? Number(expiring) : EXPIRING_DAYS;
  if (!(days >= 0)) throw new UserError("usage", `not a number of days: ${expiring}`, "for example --expiring 14");
  return days;
}

/** Soonest first. */
function expiringSessions(
  sessions: readonly SessionSummary[],
  roots: readonly string[],
  options: ListOptions,
): ExpiringSession[] {
  const days = expiringDays(options);
  const cleanups = openCleanups(Date.now() + days * DAY_MS);
  const found = new Map(findSessions(roots).sessions.map((session) => [session.path, session]));
  const iso = (time: number) => new Date(time).toISOString();
  return sessions
    .flatMap((session) => {
      const file = found.get(session.path);
      if (!file) return [];
      const wholeAt = cleanups.wholeAt(file);
      const parts = wholeAt === null ? cleanups.partsOf(file) : [];
      const at = wholeAt ?? parts[0]?.at;
      return at === undefined ? [] : [{ session, wholeAt, parts, at }];
    })
    .sort((a, b) => a.at - b.at)
    .map(({ session, wholeAt, parts }) => ({
      ...session,
      deletedAfter: wholeAt === null ? null : iso(wholeAt),
      deletedParts: parts.map(({ path, at }) => ({ path, deletedAfter: iso(at) })),
    }));
}

/** Explains why a list is empty or short. */
function* notesOn(list: SessionList, filter: SessionFilter, roots: readonly string[]): Generator<string> {
  if (list.withoutTranscript > 0) {
    yield `${formatCount(list.withoutTranscript, "session")} without a transcript (only side files are left)`;
  }
  if (list.found === 0) yield `no sessions in ${roots.join(", ")} (try --demo)`;
  else if (list.sessions.length === 0) {
    yield Object.keys(filter).length > 0 ? "no session matches the filters" : "no session can be read";
  }
}

/** The redactor is loaded only if a title may hold a secret. */
async function maskTexts({ sessions, mayHoldSecret }: LibraryList, io: Io): Promise<readonly SessionSummary[]> {
  const areAllDoubtful = (await readSettings(io)).redact?.patternsFile !== undefined;
  const isDoubtful = (session: SessionSummary) =>
    areAllDoubtful || session.userTitle !== null || session.note !== null || mayHoldSecret(session);
  if (!sessions.some(isDoubtful)) return sessions;
  const redactor = await (await import("../../app/redaction.js")).maskingRedactor(io);
  return sessions.map((session) => (isDoubtful(session) ? maskNames(session, redactor) : session));
}

function listLayout({ all }: ListOptions, io: Io): ListLayout {
  return { columns: io.columns, style: createStyle(isColoured(io)), showEmpty: all ?? false };
}
