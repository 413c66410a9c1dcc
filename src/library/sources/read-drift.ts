import { type FileProblem, findFiles } from "../../format/layout/folder-listing.js";
import { readRecords } from "../../format/reader/record-reader.js";
import { createDriftReport, type DriftView } from "../../session/facts/drift.js";
import { skipUnreadable } from "../skip-unreadable.js";

export interface FolderDrift {
  readonly drift: DriftView;
  readonly files: number;
  readonly problems: readonly FileProblem[];
}

/** Reads every transcript below a folder, at any depth; unreadable ones are reported in `problems`. */
export function readDrift(folder: string): FolderDrift {
  const report = createDriftReport();
  const listing = findFiles(folder);
  const problems = [...listing.problems];
  const files = listing.entries.filter(({ name }) => name.endsWith(".jsonl") && name !== PROMPT_HISTORY);
  for (const { path } of files) {
    skipUnreadable(path, problems, () => {
      for (const record of readRecords(path, { abridge: true })) report.add(record);
    });
  }
  return { drift: report.view(), files: files.length, problems };
}

/** Claude Code's prompt history, which has another format. */
const PROMPT_HISTORY = "history.jsonl";
