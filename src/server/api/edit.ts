import type { EditJson } from "../../app/edit/edit-report.js";
import type { PrunableTurn } from "../../app/edit/prunable-turns.js";
import type { RedactionReport } from "../../redact/tally.js";

/** The edits that the web UI offers; each is a command of the same name. */
export type EditCommand = "clone" | "fork" | "prune" | "compress" | "uncompact" | "redact" | "repair";

/** `POST /api/sessions/:id/edit/preview`, and `/edit` to write the new session. */
export interface EditRequest {
  readonly command: EditCommand;
  /** The options of the command: `keepLast: "10"` is `--keep-last 10`. */
  readonly flags?: EditFlags | undefined;
}

export type EditFlags = Readonly<Record<string, string | true | readonly string[]>>;

export interface EditPreview extends Omit<EditJson, "id" | "path" | "resume" | "dryRun" | "sideFiles"> {
  /** The equivalent command. */
  readonly commandLine: string;
  readonly redaction: RedactionReport | null; // of `redact`
}

/** `GET /api/sessions/:id/edit/calls`: what can be picked for prune. */
export interface PrunableAnswer {
  readonly turns: readonly PrunableTurn[];
}

export interface EditAnswer extends EditPreview {
  /** The new session. */
  readonly id: string;
  readonly resume: string | null;
}
