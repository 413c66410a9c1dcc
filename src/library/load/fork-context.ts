import { statSync } from "node:fs";
import { dirname } from "node:path";
import { owningSessionFile, sessionPaths, transcriptOf } from "../../format/layout/session-paths.js";
import { type Outline, outlineInherited } from "../../session/open-session.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { Turn } from "../../session/turns/build-turn.js";

/** The conversation that a forked sub-agent began with. */
export interface ForkContext<Session> {
  /** The session whose conversation it is; null where a sub-agent made the fork. */
  readonly sessionId: string | null;
  /** Its last record. */
  readonly uuid: string | null;
  readonly records: number;
  /** Why it is empty. */
  readonly problem: string | null;
  /** The session along the branch that the fork began with; null where the fork's own file holds the conversation. */
  readonly parent: Session | null;
  readonly parts: readonly ContextPart<Session>[];
}

/** What is read from one file. */
interface ContextPart<Session> {
  readonly session: Session;
  /** Only turns of which the fork knew something: all since the last compaction, and what that preserved. */
  turns(): Generator<Turn>;
}

/** The parts of a loaded session that this needs. */
interface ReadSession<Session> {
  readonly outline: Outline;
  turn(index: number): Turn | undefined; // 1-based
  branch(leaf: string): Session;
}

interface Readers<Session> {
  load(path: string): Session;
  /** A part of the fork's own file. */
  view(outline: Outline): Session;
}

/**
 * A fork of the main conversation names the last record of it, a fork made by a sub-agent repeats all records (2.1.326). Where the
 * session or the record is gone, Claude Code goes on without what came before, and so does this.
 */
export function findForkContext<Session extends ReadSession<Session>>(
  path: string,
  outline: Outline,
  readers: Readers<Session>,
): ForkContext<Session> | null {
  if (outline.active[0]?.forkCall === undefined) return null;
  const { forkContext: ref } = outline.facts;
  const { parent, problem } = ref ? findParent(path, ref, readers) : { parent: null, problem: null };
  const inherited = outlineInherited(outline);
  const copied = inherited.active.length > 0 ? readers.view(inherited) : null;
  const parts = [parent, copied].flatMap((session) => (session ? [toPart(session)] : []));
  return {
    sessionId: ref?.sessionId ?? null,
    uuid: ref ? ref.lastUuid : inherited.activeLeaf,
    records: parts.reduce((sum, { records }) => sum + records, 0),
    problem,
    parent,
    parts,
  };
}

function toPart<Session extends ReadSession<Session>>(
  session: Session,
): ContextPart<Session> & { readonly records: number } {
  const known = new Set(selectReplay(session.outline).nodes);
  return {
    session,
    records: known.size,
    *turns() {
      for (const { index, nodes } of session.outline.turns) {
        const turn = nodes.some((node) => known.has(node)) ? session.turn(index) : undefined;
        if (turn) yield turn;
      }
    },
  };
}

function findParent<Session extends ReadSession<Session>>(
  path: string,
  { sessionId, lastUuid }: NonNullable<Outline["facts"]["forkContext"]>,
  { load }: Readers<Session>,
): Pick<ForkContext<Session>, "parent" | "problem"> {
  const owner = owningSessionFile(path);
  const file = sessionPaths(owner).id === sessionId ? owner : transcriptOf(dirname(owner), sessionId ?? "");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    return { parent: null, problem: `the session ${sessionId} is gone, and with it what the fork began with` };
  }
  const session = load(file);
  if (lastUuid === null || !session.outline.uuids.has(lastUuid)) {
    return { parent: null, problem: `the session ${sessionId} has no record ${lastUuid}, at which the fork began` };
  }
  return { parent: session.branch(lastUuid), problem: null };
}
