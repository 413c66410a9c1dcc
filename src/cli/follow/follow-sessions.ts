import type { Io } from "../../app/io.js";
import { owningSessionFile, sessionPaths } from "../../format/layout.js";
import { type FileChange, watchRoots } from "../../library/watch-roots.js";
import { Alarm } from "../alarm.js";
import { AgentTails } from "./agent-tails.js";
import { SessionTail, type TailOptions } from "./session-tail.js";

export interface FollowPlan extends TailOptions {
  /** The session to follow; without it, whichever is written to. */
  readonly path: string | undefined;
  readonly roots: readonly string[];
  readonly untilIdleMs: number; // Infinity: until interrupted
  /** What is told when another session's turn has come. */
  switching(path: string): string;
}

/** A file is looked at this often, where nobody tells that it changed. */
const LOOK_MS = 250;
/** A very large session takes time to look at: it is looked at less often, for a quarter of a core at most. */
const BREATH = 3;
const MAX_OPEN_TAILS = 16;

/** Tells what happens until it is interrupted, or nothing has happened for long enough. */
export async function followSessions(plan: FollowPlan, io: Io): Promise<void> {
  const { path, untilIdleMs } = plan;
  const alarm = new Alarm();
  const tails = new Tails(plan);
  let changes: FileChange[] = [];
  let isStopped = false;
  const stopListening = io.onInterrupt(() => {
    isStopped = true;
    alarm.ring();
  });
  const watcher = watchRoots(
    path === undefined ? plan.roots : [sessionPaths(path).sideDir],
    (found) => {
      changes.push(...found);
      alarm.ring();
    },
    { onProblem: plan.onNotice },
  );
  try {
    let toldAt = Date.now();
    while (!isStopped && Date.now() - toldAt < untilIdleMs) {
      const lookedAt = Date.now();
      const found = changes;
      changes = [];
      for (const piece of tails.news(found)) {
        if (piece === "") continue;
        await io.stdout(piece);
        toldAt = Date.now();
      }
      const pause = LOOK_MS + BREATH * (Date.now() - lookedAt);
      await alarm.sleep(Math.max(0, Math.min(pause, toldAt + untilIdleMs - Date.now())));
    }
  } finally {
    watcher.close();
    tails.close();
    stopListening();
  }
}

/** The sessions that are followed; one of them was told last. */
class Tails {
  private readonly open = new Map<string, SessionTail>();
  private readonly agents: AgentTails;
  private current: string | undefined;

  constructor(private readonly plan: FollowPlan) {
    this.agents = new AgentTails(plan.view);
    this.current = plan.path;
  }

  close(): void {
    for (const tail of this.open.values()) tail.close();
    this.agents.close();
  }

  *news(changes: readonly FileChange[]): Generator<string> {
    if (this.current !== undefined) yield* this.tailOf(this.current).news();
    for (const change of changes) {
      if (change.kind === "side" || change.change === "gone") continue;
      const owner = this.plan.path ?? owningSessionFile(change.path);
      const pieces =
        change.kind === "agent" ? this.agents.news(change, sessionPaths(owner).id) : this.tailOf(owner).news();
      yield* this.introduced(owner, pieces);
    }
  }

  /** A session is named before it speaks, where another spoke before. */
  private *introduced(owner: string, pieces: Iterable<string>): Generator<string> {
    for (const piece of pieces) {
      if (piece === "") continue;
      if (this.current !== owner) yield this.plan.switching(owner);
      this.current = owner;
      yield piece;
    }
  }

  private tailOf(path: string): SessionTail {
    const tail = this.open.get(path) ?? new SessionTail(path, this.plan);
    this.open.delete(path);
    this.open.set(path, tail);
    const [oldest] = this.open.keys();
    if (this.open.size > MAX_OPEN_TAILS && oldest !== undefined) {
      this.open.get(oldest)?.close();
      this.open.delete(oldest);
    }
    return tail;
  }
}
