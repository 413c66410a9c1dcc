import { type FileProblem, findFiles } from "../format/folder-listing.js";
import { stringAt } from "../format/json.js";
import { readRecords } from "../format/record-reader.js";
import { createDriftReport, type DriftView } from "../session/drift.js";

export interface FolderDrift {
  readonly drift: DriftView;
  readonly files: number;
  readonly problems: readonly FileProblem[];
}

/** Reads every transcript below a folder, whatever its name or place; never fails because of one. */
export function readDrift(folder: string): FolderDrift {
  const report = createDriftReport();
  const listing = findFiles(folder);
  const problems = [...listing.problems];
  const files = listing.entries.filter(({ name }) => name.endsWith(".jsonl") && name !== PROMPT_HISTORY);
  for (const { path } of files) {
    try {
      for (const record of readRecords(path, { abridge: true })) report.add(record);
    } catch (error) {
      problems.push({ path, reason: stringAt(error, "message") ?? String(error) });
    }
  }
  return { drift: report.view(), files: files.length, problems };
}

/** What was typed, in another format, beside the sessions. */
const PROMPT_HISTORY = "history.jsonl";
