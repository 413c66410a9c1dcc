import { join } from "node:path";

/** Compressed copies of sessions in turnlog's data folder. */
export interface Archive {
  readonly folder: string;
}

export function openArchive(dataDir: string): Archive {
  return { folder: join(dataDir, "archive") };
}
