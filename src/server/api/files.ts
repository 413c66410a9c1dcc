import type { FileSummary } from "../../session/file-history/file-touches.js";

/** `GET /api/files?session=`. */
export interface FilesAnswer {
  readonly cwd: string | null;
  readonly files: readonly FileSummary[];
  /** Files that shell commands may have changed. */
  readonly perhaps: readonly PerhapsTouched[];
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
