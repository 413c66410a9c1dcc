import type { SendReport } from "../../trace/outbox/send-queue.js";

/** `GET /api/sessions/:id/trace`: the targets and spans of a dry run; nothing is sent. */
export interface TracePreview {
  readonly targets: readonly { readonly name: string; readonly url: string }[];
  /** The spans as a tree, in text. */
  readonly tree: string;
  readonly isCut: boolean;
  /** The equivalent command. */
  readonly command: string;
}

/** `POST /api/sessions/:id/trace`: sends the spans that were not sent before. */
export interface TraceAnswer {
  readonly turns: number;
  readonly newSpans: number;
  readonly targets: readonly SendReport[];
}
