import { type FileProblem, findFiles } from "../../format/layout/folder-listing.js";
import { isTranscriptName } from "../../format/layout/session-paths.js";
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
  const files = listing.entries.filter(({ name }) => isTranscriptName(name));
  for (const { path } of files) {
    skipUnreadable(path, problems, () => {
      for (const record of readRecords(path, { abridge: true })) report.add(record);
    });
  }
  return { drift: report.view(), files: files.length, problems };
}
