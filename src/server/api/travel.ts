import type { RedactionReport } from "../../redact/tally.js";

/** `POST /api/sessions/:id/handoff/preview` for the brief, and `/handoff` to start a session with it. */
export interface HandoffRequest {
  /** A session here keeps paths and names; a text for others does not. */
  readonly as: "text" | "session";
  readonly turns?: string | undefined; // as `--turns`
  readonly maxTokens?: string | undefined;
  readonly redact?: boolean | undefined; // default: true
}

export interface HandoffPreview {
  readonly markdown: string;
  readonly tokens: number; // an estimate
  /** Entries that were left out to keep it short. */
  readonly leftOut: number;
  readonly report: RedactionReport | null; // null: not redacted
  readonly fileName: string;
  readonly commandLine: string;
}

/** A session that was started or moved. */
export interface ResumableAnswer {
  readonly id: string;
  readonly resume: string | null;
}

/** `POST /api/bundle` for the file, and `/api/bundle/preview` for what would be in it. */
export interface BundleRequest {
  readonly ids: readonly string[];
  readonly redact?: boolean | undefined; // default: true
  readonly emails?: boolean | undefined;
  /** Encrypts the bundle; for a preview any text will do. */
  readonly passphrase?: string | undefined;
}

export interface BundlePreview {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly sessions: readonly {
    readonly id: string;
    readonly title: string | null;
    readonly files: number;
    readonly bytes: number;
    /** Files that stay behind. */
    readonly leftOut: readonly string[];
    readonly isRunning: boolean;
    /** Lines that name folders of this machine in text. */
    readonly left: number;
  }[];
  readonly report: RedactionReport | null; // null: not redacted
  readonly commandLine: string;
}

/** `POST /api/import`, with the bytes of a bundle: nothing is written but a private copy. */
export interface UploadAnswer {
  readonly upload: string;
  readonly isEncrypted: boolean;
}

/** `POST /api/import/:upload/preview`, and `/api/import/:upload` to write. */
export interface ImportRequest {
  readonly passphrase?: string | undefined;
  /** The folders of the projects here, in the order of the preview; null: it is found. */
  readonly projects?: readonly (string | null)[] | undefined;
}

export interface ImportPreview {
  readonly createdAt: string;
  readonly isRedacted: boolean;
  readonly projects: readonly ImportedProject[];
  readonly sessions: readonly ImportedSession[];
}

export interface ImportedProject {
  /** As the bundle names it: below a home folder, or its last part alone. */
  readonly name: string;
  readonly remote: string | null;
  readonly sessions: number;
  /** Null: none was found; `problem` says why. */
  readonly folder: string | null;
  readonly by: "name" | "remote" | "place" | null;
  readonly exists: boolean;
  readonly problem: string | null;
}

export interface ImportedSession {
  readonly id: string;
  /** In the bundle; another session here has this id where both differ. */
  readonly source: string;
  readonly title: string | null;
  readonly turns: number;
  readonly files: number;
  /** `same` and `continued`: it is here already, in the latter case with more at its end. Null: its project is not known. */
  readonly action: "write" | "same" | "continued" | null;
  readonly path: string | null;
}

export interface ImportAnswer {
  readonly sessions: readonly (ResumableAnswer & Pick<ImportedSession, "action" | "title">)[];
}

/** `POST /api/sessions/:id/move/preview`, and `/move`. */
export interface MoveRequest {
  readonly to: string;
  /** Also in the records, wherever Claude Code reads the folder from them. */
  readonly rewriteCwd?: boolean | undefined;
  /** Also while it may be running. */
  readonly force?: boolean | undefined;
}

export interface MovePreview {
  readonly from: string | null;
  readonly to: string;
  readonly exists: boolean;
  /** Where the transcript will be. */
  readonly path: string;
  readonly files: number;
  /** Lines with a path that changes, and lines that name the old folder in text, which stay. */
  readonly rewritten: number;
  readonly left: number;
  /** What will still name the old place. */
  readonly remains: readonly string[];
  readonly commandLine: string;
}

/** `POST /api/projects/move/preview`, and `/api/projects/move`: all sessions of a folder that has moved. */
export interface ProjectMoveRequest {
  readonly from: string;
  readonly to: string;
  readonly force?: boolean | undefined;
}

export interface ProjectMovePreview extends Omit<MovePreview, "path" | "files" | "remains"> {
  readonly sessions: number;
  /** Folders beside the sessions, which move too. */
  readonly besides: readonly string[];
  /** Files of Claude Code with entries that get the new folder. */
  readonly named: readonly { readonly path: string; readonly count: number }[];
  /** Settings that name the old folder and stay. */
  readonly settings: readonly string[];
}

export interface ProjectMoveAnswer {
  readonly sessions: number;
}
