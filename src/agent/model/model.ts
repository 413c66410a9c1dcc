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

/**
 * An answer while it streams. Each block that starts also ends; `index` is its place in the answer. `block` is what belongs to the
 * conversation: undefined for an empty text, thinking without a signature, and a block that a failure cut.
 */
export type AnswerEvent =
  /** A second one means that the attempt before failed and must be discarded. */
  | { readonly kind: "answer-start"; readonly start: AnswerStart }
  | { readonly kind: "text-start" | "thinking-start"; readonly index: number }
  | { readonly kind: "text-delta" | "thinking-delta"; readonly index: number; readonly text: string }
  | { readonly kind: "text-end" | "thinking-end"; readonly index: number; readonly block: ApiBlock | undefined }
  /** The input of a call, as JSON that is not complete before its end. */
  | { readonly kind: "input-start"; readonly index: number; readonly callId: string; readonly name: string }
  | { readonly kind: "input-delta"; readonly index: number; readonly callId: string; readonly json: string }
  | {
      readonly kind: "input-end";
      readonly index: number;
      readonly callId: string;
      readonly block: ApiBlock | undefined;
    }
  /** A block that does not stream, such as the result of a tool on the API's side. */
  | { readonly kind: "block"; readonly index: number; readonly block: ApiBlock }
  /** The attempt failed; what it sent so far is void. */
  | { readonly kind: "retry"; readonly notice: RetryNotice };

/** Receives an answer while it streams. */
export type AnswerListener = (event: AnswerEvent) => void;

export interface Answer extends AnswerStart {
  readonly blocks: readonly ApiBlock[];
  /** Null: we aborted it; the text received so far is among the blocks. */
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
  /** What the API says about the stop besides its reason. */
  readonly stopDetails?: unknown;
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

export const SILENT: AnswerListener = () => undefined;
