import { listTree, mayExist, type TreeItem } from "../../format/layout/folder-listing.js";
import { isSessionId } from "../../format/layout/session-paths.js";
import { atomicWrite } from "../../store/atomic-write.js";
import type { FoundSession } from "../found-session.js";
import {
  clientStateFiles,
  findLastSessions,
  readClientState,
  withLastSession,
  withoutLastSessions,
} from "./last-sessions.js";
import {
  exclusivePastes,
  findHistoryLines,
  historyPath,
  pastePath,
  readHistory,
  splitHistory,
  withLinesByTime,
  withoutEqual,
  withoutLines,
} from "./prompt-history.js";
import { type Cuts, rewriteFile, toCuts, withPieces } from "./rewrite-file.js";

/** What is taken out of files that many sessions share; kept with the deleted session until it is restored. */
export interface Purge {
  readonly sessionId: string;
  readonly history: Cuts | null;
  readonly states: readonly (Cuts & { readonly projects: readonly string[] })[];
}

/** The plan of a purge, and the pasted texts that go with it as whole files. Nothing is changed. */
export function planPurge({ id, root }: Pick<FoundSession, "id" | "root">): { purge: Purge; pastes: TreeItem[] } {
  if (!isSessionId(id)) return { purge: { sessionId: id, history: null, states: [] }, pastes: [] };
  const bytes = readHistory(root);
  const own = findHistoryLines(bytes, id);
  const states = clientStateFiles(root).flatMap((path) => {
    const state = readClientState(path);
    const found = state ? findLastSessions(state, id) : [];
    return state && found.length > 0
      ? [{ ...toCuts(path, state, found), projects: found.map(({ project }) => project) }]
      : [];
  });
  const history = own.length > 0 ? toCuts(historyPath(root), bytes, own) : null;
  const pastes = exclusivePastes(bytes, own).flatMap((hash) => listTree(pastePath(root, hash)));
  return { purge: { sessionId: id, history, states }, pastes };
}

/** Takes out exactly what the plan has kept: lines that came later stay. */
export function applyPurge({ sessionId, history, states }: Purge): void {
  if (history) rewriteFile(history.path, (bytes) => withoutLines(bytes, linesOf(history)));
  for (const { path } of states) rewriteFile(path, (bytes) => withoutLastSessions(bytes, sessionId));
}

/** Puts back what is missing. May be called twice, and after a purge that was cut short. */
export function undoPurge({ sessionId, history, states }: Purge): void {
  if (history) {
    if (mayExist(history.path)) rewriteFile(history.path, (bytes) => putLinesBack(bytes, history));
    else atomicWrite(history.path, Buffer.concat(linesOf(history)));
  }
  for (const state of states) {
    if (!mayExist(state.path)) continue;
    rewriteFile(state.path, (bytes) => {
      const isAsLeft = bytes.length === state.leftLength;
      return (isAsLeft ? withPieces(bytes, state) : undefined) ?? withLastSession(bytes, state.projects, sessionId);
    });
  }
}

const NEWLINE = 0x0a;

function putLinesBack(bytes: Buffer, history: Cuts): Buffer {
  const lines = linesOf(history);
  const isAllMissing = withoutEqual(lines, splitHistory(bytes)).length === lines.length;
  const isWhole = bytes.length === history.leftLength || lines.at(-1)?.at(-1) === NEWLINE;
  return (isAllMissing && isWhole ? withPieces(bytes, history) : undefined) ?? withLinesByTime(bytes, lines);
}

function linesOf({ pieces }: Cuts): Buffer[] {
  return pieces.map(({ base64 }) => Buffer.from(base64, "base64"));
}
