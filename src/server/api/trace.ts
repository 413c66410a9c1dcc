import type { SendReport } from "../../trace/outbox/send-queue.js";

/** `GET /api/sessions/:id/trace`: where its turns would be sent, and as what. Nothing leaves. */
export interface TracePreview {
  readonly targets: readonly { readonly name: string; readonly url: string }[];
  /** The spans as a tree; cut where it is long. */
  readonly tree: string;
  readonly isCut: boolean;
  /** The same on the command line. */
  readonly command: string;
}

/** `POST /api/sessions/:id/trace`: sends what was not sent before. */
export interface TraceAnswer {
  readonly turns: number;
  readonly newSpans: number;
  readonly targets: readonly SendReport[];
}
