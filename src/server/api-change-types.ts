import type { RedactionReport } from "../redact/redaction-report.js";
import type { SessionMarks } from "../store/user-db.js";

/** `POST /api/sessions/:id/marks`: what is not given stays. */
export interface MarksRequest {
  readonly title?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly favourite?: boolean | undefined;
  readonly note?: string | null | undefined;
}

export interface MarksAnswer extends SessionMarks {
  readonly id: string;
}

/** `GET /api/trash`. */
export interface TrashAnswer {
  readonly sessions: readonly TrashEntry[];
}

export interface TrashEntry {
  /** By which it is restored: a session may be in the trash more than once. */
  readonly entry: string;
  readonly id: string;
  readonly title: string;
  readonly project: string | null;
  readonly deletedAt: string;
  readonly sizeBytes: number;
  readonly files: number;
  readonly interrupted: boolean;
}

/** `POST /api/trash`: moves sessions there; `force` also those that are being written to. */
export interface DeleteRequest {
  readonly ids: readonly string[];
  readonly force?: boolean | undefined;
}

export interface DeleteAnswer {
  readonly deleted: readonly string[];
  readonly spared: readonly { readonly id: string; readonly reason: string }[];
}

/** `POST /api/trash/restore` and `POST /api/trash/remove` (for good). */
export interface TrashRequest {
  readonly entries: readonly string[];
}

export interface RestoreAnswer {
  readonly restored: readonly { readonly entry: string; readonly id: string; readonly missing: readonly string[] }[];
}

export interface RemoveAnswer {
  readonly removed: readonly string[];
}

/** `POST /api/sessions/:id/export`, and `/export/preview` for the report alone. */
export interface ExportRequest {
  readonly format: string;
  readonly redact?: boolean | undefined; // true unless told
  readonly emails?: boolean | undefined;
}

export interface ExportPreview {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly report: RedactionReport | null; // null: nothing is taken out
  readonly notes: readonly string[];
  /** The same on the command line. */
  readonly command: string;
}
