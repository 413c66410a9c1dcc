import type { SessionMarks } from "../../store/user-db.js";

/** `POST /api/sessions/:id/marks`: omitted fields keep their value. */
export interface MarksRequest {
  readonly title?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly favourite?: boolean | undefined;
  readonly note?: string | null | undefined;
}

export interface MarksAnswer extends SessionMarks {
  readonly id: string;
}
