import type { RedactionReport } from "../../redact/create-redactor.js";

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
