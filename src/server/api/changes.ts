import type { ChangedFile, ChangedHunk, ChangeStep, SessionChanges } from "../../app/changes/session-changes.js";
import type { PullRequestLink } from "../../session/facts/facts.js";
import type { CommitLink } from "../../session/facts/session-work.js";

export type { ChangedFile, ChangedHunk, ChangeStep };

/** `GET /api/changes?session=&branch=`: what a session changed. With `path`, only that file, whole. */
export interface ChangesAnswer extends SessionChanges {
  readonly pullRequests: readonly PullRequestLink[];
  /** Those that git reported to the session. */
  readonly commits: readonly CommitLink[];
}

/** `GET /api/changes/lines?session=&path=&from=&to=`: lines of a file after the last change, to show around a hunk. */
export interface LinesAnswer {
  readonly from: number; // 1-based
  readonly lines: readonly string[];
  readonly total: number;
}
