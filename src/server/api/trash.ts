/** `GET /api/trash`. */
export interface TrashAnswer {
  readonly sessions: readonly TrashEntry[];
}

export interface TrashEntry {
  /** Identifies the entry: a session may be in the trash more than once. */
  readonly entry: string;
  readonly id: string;
  readonly title: string;
  readonly project: string | null;
  readonly deletedAt: string;
  readonly sizeBytes: number;
  readonly files: number;
  readonly interrupted: boolean;
}

/** `POST /api/trash`: moves sessions to the trash; running ones only with `force`. */
export interface DeleteRequest {
  readonly ids: readonly string[];
  readonly force?: boolean | undefined;
}

export interface DeleteAnswer {
  readonly deleted: readonly string[];
  readonly spared: readonly { readonly id: string; readonly reason: string }[];
  /** What still names the deleted sessions in files of many sessions, in sentences. */
  readonly remains: readonly string[];
}

/** `POST /api/trash/restore`, and `POST /api/trash/remove` to delete permanently. */
export interface TrashRequest {
  readonly entries: readonly string[];
}

export interface RestoreAnswer {
  readonly restored: readonly { readonly entry: string; readonly id: string; readonly missing: readonly string[] }[];
}

export interface RemoveAnswer {
  readonly removed: readonly string[];
}
