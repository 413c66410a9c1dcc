import type { RedactionReport } from "../../redact/tally.js";

/** `POST /api/sessions/:id/export`, and `/export/preview` for the report alone. */
export interface ExportRequest {
  readonly format: string;
  readonly redact?: boolean | undefined; // default: true
  readonly emails?: boolean | undefined;
}

export interface ExportPreview {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly report: RedactionReport | null; // null: not redacted
  readonly notes: readonly string[];
  /** The equivalent command. */
  readonly command: string;
}
