import type { JsonObject } from "../../format/json.js";
import type { ApiBlock, ApiMessage } from "../../format/record/api-message.js";

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface ModelRequest {
  readonly model: string;
  readonly system: readonly string[];
  readonly messages: readonly ApiMessage[];
  readonly tools: readonly ToolSpec[];
  /** Tools that the API runs itself. */
  readonly serverTools?: readonly JsonObject[];
  readonly maxTokens?: number;
  /** Short work beside the conversation: no thinking, no cache marks in the messages. */
  readonly isAside?: boolean;
}

/** What is known of an answer when it begins. */
export interface AnswerStart {
  readonly id: string;
  readonly model: string;
  readonly requestId: string | undefined;
  readonly usage: JsonObject;
}

export interface RetryNotice {
  readonly attempt: number;
  readonly ofAttempts: number;
  readonly delayMs: number;
  readonly reason: string;
}

/** Hears an answer while it comes. A second `start` means that the first attempt failed and counts for nothing. */
export interface AnswerListener {
  start(start: AnswerStart): void;
  delta(kind: "text" | "thinking", text: string): void;
  /** A block that is whole, in the order of the answer. */
  block(block: ApiBlock, index: number): void;
  retry(notice: RetryNotice): void;
}

export interface Answer extends AnswerStart {
  readonly blocks: readonly ApiBlock[];
  /** Null: it was broken off by us; what had come of the last text is among the blocks. */
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
}

export interface Model {
  /** Rejects with `ModelError` when the API gave no answer after all attempts. Resolves when the signal aborts. */
  answer(request: ModelRequest, listener: AnswerListener, signal: AbortSignal): Promise<Answer>;
}

export type ModelErrorKind =
  | "authentication"
  | "too-long"
  | "refused-request"
  | "rate-limit"
  | "overloaded"
  | "connection"
  | "server";

/** The API gave no answer. */
export class ModelError extends Error {
  override readonly name = "ModelError";

  constructor(
    readonly kind: ModelErrorKind,
    message: string,
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const SILENT: AnswerListener = {
  start: () => undefined,
  delta: () => undefined,
  block: () => undefined,
  retry: () => undefined,
};
