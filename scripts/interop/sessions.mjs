// The recorded sessions that are checked, and what is odd about some of them.
import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";

const TESTS = resolve(import.meta.dirname, "..", "..", "test");

export function listSessions() {
  const paths = ["corpus", "recorded", "crafted"].flatMap((folder) =>
    readdirSync(join(TESTS, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".jsonl") && !/agent-|(?:history|journal|timeline)\.jsonl$/.test(path))
      .toSorted()
      .map((path) => join(TESTS, folder, path)),
  );
  const seen = new Map();
  return paths.map((path) => {
    const count = (seen.get(nameOf(path)) ?? 0) + 1;
    seen.set(nameOf(path), count);
    return { path, name: count === 1 ? nameOf(path) : `${nameOf(path)}-${count}` };
  });
}

/** The beginning of the session's id, or the name of a file that was made by hand. */
function nameOf(path) {
  const name = basename(path, ".jsonl");
  return /^[0-9a-f]{8}-/.test(name) ? name.slice(0, 8) : name;
}

export const QUIRKS = {
  fb5ea67d: "2.1.45 interactive: queue, Esc, compaction, rewind, progress in the chain",
  "611dbd00": "2.1.325 interactive: queue, Esc, compaction that preserves messages, shell, plan, rewind",
  "9a9010e6": "2.1.45 automatic compaction and a fork",
  "81cb60fa": "2.1.45 hooks",
  "5328d007": "2.1.325 several runs and a compaction",
  e6e6a8d6: "2.1.325 fork with records of another session",
  d0c6046f: "2.0.50 several runs and a compaction",
  "3867a695": "2.1.325 parallel calls",
  "080f0bd4": "2.1.45 parallel calls",
  "18ad2149": "2.1.200 slow stream, results between the parts of a message",
  "779776bd": "2.1.325 slow stream, results between the parts of a message",
  "062c693c": "2.1.325 background agent and its notification",
  "584e8729": "2.1.45 background shell and its notification",
  "0ed05023": "2.1.325 two sub-agents",
  "7d4b65a3": "2.1.325 sub-agents",
  "91c9b39f": "2.1.45 sub-agents",
  a74fc554: "2.0.50 sub-agent in a file next to the session",
  a6da31ce: "2.0.50 two sub-agents in files next to the session",
  c25e6a6b: "2.1.45 API error",
  b2d4f30a: "2.1.325 spilled output",
  "973412d9": "2.1.325 output limit",
  "3f050c2d": "2.1.325 slash command in print mode",
  "4af57e2d": "2.1.325 moved to a worktree",
  "inline-sub-agents": "1.x sub-agents inside the session",
  "resumed-copy-2.0.76": "history written again on resume, parallel to the original",
  "resumed-copy-2.1.29": "history written again on resume, after the original",
  c04_drop_uuid: "records without uuid",
  c05_drop_msg_id: "messages without id",
  c07_pruned_unrepaired: "missing parents",
  c08_compact_nometa: "a boundary without metadata",
  c08_compact_prehistory_removed: "a compaction without the history before it",
  c08_summary_noboundary: "a summary without boundary",
  c10_garbage_middle: "an unreadable line",
  c11_orphan_tool_use: "a call without result",
  c12_progress_in_chain: "progress in the chain",
  c14_branches_early_last: "an earlier branch last in the file",
  c14_branches_lastprompt_points_ONE: "a last-prompt record that names another branch",
  c15_parallel_branch: "results of parallel calls on parallel branches",
  c15_parallel_branchrev: "the same, in reverse order",
  c17_duplicated_lines: "duplicate lines",
  c18_dangling_root_parent: "a first record with a parent",
  c19_user_line_last: "no answer at the end",
};

/** What no client can follow stays so in an edit, but for its repair: only that and copies are made of them. */
export const BROKEN = new Set(["c04_drop_uuid", "c05_drop_msg_id"]);
