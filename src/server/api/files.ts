import type { FileSummary } from "../../session/file-history/file-touches.js";

/** `GET /api/files?session=`. */
export interface FilesAnswer {
  readonly cwd: string | null;
  readonly files: readonly FileSummary[];
  /** Files that shell commands may have changed. */
  readonly perhaps: readonly PerhapsTouched[];
  /** Changes of shell commands of which files or lines are not recorded. */
  readonly unrecorded: readonly UnrecordedChange[];
}

interface UnrecordedChange {
  readonly turn: number;
  readonly agentId: string | null;
  readonly unnamed: number; // changed files that are not named
  readonly reason: string | null; // why the files were not compared
}

export interface PerhapsTouched {
  readonly kind: string;
  readonly path: string;
  readonly to: string | null;
  readonly turn: number;
  readonly agentId: string | null;
  readonly command: string;
}

/** `GET /api/files/diff?session=`: one unified diff; `notes` list what it cannot show. */
export interface DiffAnswer {
  readonly diff: string;
  readonly notes: readonly string[];
  readonly isCut: boolean;
}
