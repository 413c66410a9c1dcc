import { availableParallelism } from "node:os";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { CountedMessage, MessageFigures } from "../../session/number-rows.js";
import { isWithin, type LibraryNumbers, selectMessages, sortCopies } from "../catalog/library-numbers.js";
import { type Copy, MESSAGES, mergeCopies } from "../catalog/number-kinds.js";
import { chooseFiles, type FileCells, type NumbersFilter, type OwningSession } from "../catalog/numbers-scope.js";
import { gatherMessages, type MessageSpan } from "../entries/ledger.js";
import type { Archive, UserData } from "../found-session.js";
import { type LibraryFile, ownerOf, walkLibrary } from "../sources/walk-library.js";
import { type ScanOutcome, type StartThread, scanFiles } from "./scan-threads.js";

interface ScanOptions {
  readonly archive?: Archive | undefined;
  /** For a thread on each core; without it, all is done in this one. */
  readonly startThread?: StartThread | undefined;
  readonly problems?: FileProblem[];
}

/**
 * What all sessions below the roots spent, without an index: the same messages with the same figures, owners and copies, but
 * no tool calls, no turns and no titles. `filter` must not ask for tools or errors.
 */
export async function scanNumbers(
  roots: readonly string[],
  filter: NumbersFilter,
  userData: UserData = {},
  { archive, startThread, problems = [] }: ScanOptions = {},
): Promise<LibraryNumbers> {
  const threads = startThread ? Array.from({ length: availableParallelism() - 1 }, startThread) : [];
  try {
    const walk = walkLibrary(roots, archive);
    problems.push(...walk.problems);
    const files = walk.files.toSorted((a, b) => b.size - a.size); // the largest first, so that threads end together
    const outcomes = await scanFiles(
      files.map((file) => ({ path: file.open(), isAgent: file.agent !== undefined })),
      threads,
    );
    const scanned = files.map((file, at) => toScanned(file, at, outcomes[at], problems));
    return sumUp(scanned, filter, userData);
  } finally {
    for (const thread of threads) void thread.terminate();
  }
}

interface Scanned {
  readonly cells: FileCells;
  readonly messages: readonly CountedMessage[];
}

function toScanned(file: LibraryFile, at: number, outcome: ScanOutcome | undefined, problems: FileProblem[]): Scanned {
  const isRead = outcome !== undefined && !("problem" in outcome);
  if (outcome && "problem" in outcome) problems.push({ path: file.path, reason: outcome.problem });
  const { path: owner, sessionId } = ownerOf(file, problems);
  const project = isRead && !file.agent ? outcome.project : null;
  return {
    cells: [at, file.path, owner, sessionId, project, null, null, null, null],
    messages: isRead ? outcome.messages : [],
  };
}

function sumUp(files: readonly Scanned[], filter: NumbersFilter, userData: UserData): LibraryNumbers {
  const scope = chooseFiles(
    files.map(({ cells }) => cells),
    filter,
    userData,
  );
  const found = new Map<OwningSession, MessageSpan[]>();
  const add = (session: OwningSession, spans: readonly MessageSpan[]) => {
    const known = found.get(session);
    if (known) known.push(...spans);
    else if (spans.length > 0) found.set(session, [...spans]);
  };
  for (const { cells, messages } of files) {
    const session = scope.chosen.get(cells[0]);
    if (session) add(session, gatherMessages(messages.filter(({ time }) => isWithin(time, filter))));
  }
  const merged = mergeCopies(listCopies(files), (file) => scope.paths.get(file), MESSAGES.join);
  const { counted, cancelled } = sortCopies<MessageFigures>(merged, scope, filter);
  for (const [session, figures] of counted) add(session, gatherMessages(figures));
  for (const [session, figures] of cancelled) add(session, gatherMessages(figures).map(MESSAGES.negate));
  const sessions = [...found].map(([session, messages]) => ({ session, messages, calls: [], turns: [] }));
  return { sessions: selectMessages(sessions, filter), titlesToMask: scope.titlesToMask };
}

/** The messages that occur in several files. */
function listCopies(files: readonly Scanned[]): Copy<MessageFigures>[] {
  const first = new Map<string, Copy<MessageFigures> | null>();
  const copies: Copy<MessageFigures>[] = [];
  for (const { cells, messages } of files) {
    for (const message of messages) {
      const copy = { key: message.id, file: cells[0], isCopied: message.isCopied, figures: message };
      const other = first.get(message.id);
      if (other === undefined) first.set(message.id, copy);
      else {
        if (other) copies.push(other);
        first.set(message.id, null);
        copies.push(copy);
      }
    }
  }
  return copies;
}
