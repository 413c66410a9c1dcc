type Effect = "repaired" | "dropped" | "leftOut";

/** Every change that a replay may make. `leftOut`: Claude Code does not send it either. */
const EFFECTS = {
  "orphan-call": "repaired", // no result was recorded: an error result was added
  "renamed-call": "repaired", // the id was in use, or has characters that the API refuses
  "renamed-tool": "repaired",
  "repaired-input": "repaired", // a call's input was no object
  "repaired-result": "repaired", // a result's content was neither text nor blocks
  "repaired-text": "repaired", // half characters, or values nested too deeply
  "cut-record": "repaired", // of a line too long to be read as a whole: its texts end early
  "missing-opening": "repaired", // the conversation begins with an answer: a user message was put before it
  "aborted-call": "dropped", // its input was still streaming
  "repeated-call": "dropped",
  "orphan-result": "dropped",
  "extra-result": "dropped",
  "unsigned-thinking": "dropped",
  "trailing-thinking": "dropped", // no answer may end with thinking
  "lone-thinking": "dropped", // a message of nothing else
  "unpaired-server-block": "dropped",
  "empty-text": "dropped",
  "misplaced-block": "dropped",
  "unusable-block": "dropped",
  "cut-block": "dropped", // of such a line, and unusable when cut
  "missing-preserved": "dropped", // a compaction preserved records that are not on this branch
  "missing-record": "dropped", // its body could not be read
  synthetic: "leftOut",
  "api-error": "leftOut",
  "silent-attachment": "leftOut",
  "system-record": "leftOut",
  progress: "leftOut",
  "unknown-record": "leftOut",
} as const satisfies Record<string, Effect>;

export type ReplayKind = keyof typeof EFFECTS;

export interface ReplayItem {
  readonly kind: ReplayKind;
  readonly count: number;
  readonly lines: readonly number[]; // in the file, 1-based, ascending; 0 for the session as a whole
}

/** How the messages differ from what the file holds. */
export interface ReplayReport {
  /** The line of the compaction summary that the messages start with; null without compaction. */
  readonly compactionLine: number | null;
  readonly repaired: readonly ReplayItem[];
  readonly dropped: readonly ReplayItem[];
  readonly leftOut: readonly ReplayItem[];
}

export interface ReplayLog {
  add(kind: ReplayKind, line: number): void;
  report(compactionLine: number | null): ReplayReport;
}

export function openReplayLog(): ReplayLog {
  const lines = new Map<ReplayKind, number[]>();

  function itemsOf(effect: Effect): ReplayItem[] {
    const found = [...lines].filter(([kind]) => EFFECTS[kind] === effect);
    return found.map(([kind, at]) => ({ kind, count: at.length, lines: at.toSorted((a, b) => a - b) }));
  }

  return {
    add(kind, line) {
      const known = lines.get(kind);
      if (known) known.push(line);
      else lines.set(kind, [line]);
    },
    report: (compactionLine) => ({
      compactionLine,
      repaired: itemsOf("repaired"),
      dropped: itemsOf("dropped"),
      leftOut: itemsOf("leftOut"),
    }),
  };
}
