// What is checked: every edit, and one recorded session for each quirk.

/** `args` gets the session as `show --json` tells it; undefined: the edit does not apply to it. */
export const EDITS = [
  { name: "clone", args: () => ["clone"] },
  { name: "fork --at", args: ({ turns }) => (turns.length > 1 ? ["fork", "--at", middleOf(turns)] : undefined) },
  { name: "fork --from", args: ({ turns }) => (turns.length > 1 ? ["fork", "--from", middleOf(turns)] : undefined) },
  { name: "fork --branch", args: ({ branches }) => withDead(branches, ["fork", "--branch"]) },
  { name: "redact", args: () => ["redact"] },
  { name: "repair", args: () => ["repair", "--write"] },
  { name: "merge --branch", args: ({ branches }) => withDead(branches, ["merge", "--branch"]) },
  ...["light", "normal", "heavy", "extreme"].map((preset) => ({
    name: `prune ${preset}`,
    args: () => ["prune", "--preset", preset],
  })),
  { name: "compress", args: () => ["compress"] },
  { name: "compress --per-turn", args: () => ["compress", "--per-turn"] },
];

/** For the sessions that show no quirk of their own. */
export const USUAL_EDITS = ["clone", "prune normal"];

/** By the beginning of the session's id, or the name of a file that was made by hand. */
export const QUIRKS = {
  fb5ea67d: "2.1.45 interactive: queue, Esc, compaction, rewind, progress in the chain",
  "611dbd00": "2.1.325 interactive: queue, Esc, compaction, plan, rewind",
  c15_parallel_branch: "results of parallel calls beside each other",
  "3867a695": "2.1.325 parallel calls",
  "779776bd": "2.1.325 slow stream, results between the parts of a message",
  d0c6046f: "2.0.50 several runs and a compaction",
  "5328d007": "2.1.325 several runs and a compaction",
  e6e6a8d6: "2.1.325 fork with records of another session",
  "7d4b65a3": "2.1.325 sub-agents",
  b2d4f30a: "2.1.325 output that was spilled",
  "973412d9": "2.1.325 output limit",
  c07_pruned_unrepaired: "parents that are missing",
  c10_garbage_middle: "a line that cannot be read",
  c11_orphan_tool_use: "a call without result",
  c12_progress_in_chain: "progress in the chain",
  c17_duplicated_lines: "lines twice",
  c04_drop_uuid: "records without uuid",
};

function middleOf(turns) {
  return String(Math.ceil(turns.length / 2));
}

function withDead({ dead }, args) {
  const leaf = dead.findLast(({ turns }) => turns > 0)?.leaf;
  return leaf ? [...args, leaf] : undefined;
}
