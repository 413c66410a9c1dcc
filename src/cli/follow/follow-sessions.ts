import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { stringAt, tryParseJson } from "../../format/json.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { agentIdOf, owningSessionFile, sessionPaths, subagentMetaFile } from "../../format/layout/session-paths.js";
import { type FollowedSession, followSession } from "../../library/load/live-session.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import { type FileChange, watchRoots } from "../../library/watch/watch-roots.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { cutToColumns } from "../../text-width.js";
import type { Io } from "../io.js";
import type { FollowView } from "./follow-view.js";
import { SessionTail, type TailOptions } from "./session-tail.js";

export interface FollowPlan extends TailOptions {
  /** The session to follow; without it, whichever is written to. */
  readonly path: string | undefined;
  readonly roots: readonly string[];
  readonly untilIdleMs: number; // Infinity: until interrupted
  /** Printed when the output switches to another session. */
  switching(path: string): string;
}

/** How often a file is checked without a change notification. */
const LOOK_MS = 250;
/** Large sessions are slow to read, so they are read less often, using at most a quarter of a core. */
const BREATH = 3;
const MAX_OPEN_TAILS = 16;

/** Prints what happens until interrupted, or until nothing happened for the given time. */
export async function followSessions(plan: FollowPlan, io: Io): Promise<void> {
  const { path, untilIdleMs } = plan;
  const alarm = new Wakeup();
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
    let printedAt = Date.now();
    while (!isStopped && Date.now() - printedAt < untilIdleMs) {
      const lookedAt = Date.now();
      const found = changes;
      changes = [];
      for (const piece of tails.news(found)) {
        if (piece === "") continue;
        await io.stdout(piece);
        printedAt = Date.now();
      }
      const pause = LOOK_MS + BREATH * (Date.now() - lookedAt);
      await alarm.sleep(Math.max(0, Math.min(pause, printedAt + untilIdleMs - Date.now())));
    }
  } finally {
    watcher.close();
    tails.close();
    stopListening();
  }
}

/** The followed sessions; `current` is the one printed last. */
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

  /** Announces the session if another one was printed last. */
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

interface AgentTail {
  readonly followed: FollowedSession;
  readonly seen: Set<string>; // calls
  name: string | undefined;
}

const NAME_COLUMNS = 40;

/** Prints the finished calls of sub-agents from now on, each once. */
class AgentTails {
  private readonly tails = new Map<string, AgentTail>();
  private readonly startedAt = new Date().toISOString();

  constructor(private readonly view: FollowView) {}

  close(): void {
    for (const { followed } of this.tails.values()) followed.close();
  }

  *news({ path, change }: Pick<FileChange, "path" | "change">, sessionId: string): Generator<string> {
    const id = agentIdOf(basename(path)) ?? "";
    const tail = this.tails.get(path) ?? { followed: followSession(path), seen: new Set(), name: undefined };
    const isOld = !this.tails.has(path) && change !== "created";
    this.tails.set(path, tail);
    const { session } = tail.followed.poll();
    if (!session) return;
    tail.name ??= nameOf(path, session) ?? id;
    for (const call of finishedCalls(session)) {
      if (tail.seen.has(call.id)) continue;
      tail.seen.add(call.id);
      const isBefore = isOld && (call.endedAt ?? "") < this.startedAt;
      if (!isBefore) yield this.view.agentCall(call, { id, name: tail.name }, sessionId);
    }
  }
}

function* finishedCalls(session: LoadedSession): Generator<ToolCall> {
  for (const { toolCalls } of [session.preamble(), ...session.turns()]) {
    yield* toolCalls.filter(({ status }) => status !== "orphan");
  }
}

/** The description in its call (2.1.325), else the beginning of its prompt. */
function nameOf(path: string, session: LoadedSession): string | undefined {
  const meta = attempt(path, [], () => tryParseJson(readFileSync(subagentMetaFile(path), "utf8")));
  const asked = session.outline.turns[0]?.start.text?.trim().replace(/\s+/g, " ");
  const name = stringAt(meta, "description") ?? asked;
  return name && cutToColumns(name, NAME_COLUMNS);
}

/** Sleeps until woken or the time is over; a wake-up while awake ends the next sleep immediately. */
class Wakeup {
  private isRung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.isRung = true;
    this.wake?.();
  }

  async sleep(ms: number): Promise<void> {
    if (!this.isRung) {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, ms);
        this.wake = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
    this.wake = undefined;
    this.isRung = false;
  }
}
