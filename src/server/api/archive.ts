/** `GET /api/archive`, and the answer to `POST /api/archive`. */
export interface ArchiveAnswer {
  readonly enabled: boolean;
  /** What Claude Code deletes within a week; null where the archive keeps it, nothing goes, or config.json says not to tell. */
  readonly loss: { readonly sessions: number; readonly isAtLeast: boolean; readonly firstAt: string } | null;
}

/** `POST /api/archive`: turns the archive on, and copies all sessions. */
export interface ArchiveRequest {
  readonly enabled: true;
}
