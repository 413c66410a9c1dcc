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
  /** Tools that run on the API's side. */
  readonly serverTools?: readonly JsonObject[];
  readonly maxTokens?: number;
  /** A short request beside the conversation: no thinking, no cache marks in the messages. */
  readonly isAside?: boolean;
}

/** What is known when an answer starts. */
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

/** Receives an answer while it streams. A second `start` means that the first attempt failed and must be discarded. */
export interface AnswerListener {
  start(start: AnswerStart): void;
  delta(kind: "text" | "thinking", text: string): void;
  /** A complete block, in order. */
  block(block: ApiBlock, index: number): void;
  retry(notice: RetryNotice): void;
}

export interface Answer extends AnswerStart {
  readonly blocks: readonly ApiBlock[];
  /** Null: we aborted it; the text received so far is among the blocks. */
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
}

export interface Model {
  /** Rejects with `ModelError` when all attempts failed. Resolves when the signal aborts. */
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

/** The API did not return an answer. */
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
