import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { stringAt } from "../../format/json.js";
import { ModelError, type ModelErrorKind } from "./model.js";

/** What went wrong between us and the API, in our words. */
export function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIError && !(error instanceof APIConnectionError)) return fromApi(error);
  const reason = error instanceof Error ? deepestMessage(error) : String(error);
  return new ModelError("connection", `no connection to the API (${reason})`, undefined, { cause: error });
}

function fromApi(error: APIError): ModelError {
  const type = stringAt(error.error, "error", "type") ?? stringAt(error.error, "type") ?? "";
  const message = stringAt(error.error, "error", "message") ?? stringAt(error.error, "message") ?? error.message;
  const status = typeof error.status === "number" ? error.status : undefined;
  return new ModelError(kindOf(status, type, message), message, status, { cause: error });
}

function kindOf(status: number | undefined, type: string, message: string): ModelErrorKind {
  if (status === 401 || status === 403 || type === "authentication_error") return "authentication";
  if (status === 413 || type === "request_too_large" || /prompt is too long|exceed context limit/i.test(message)) {
    return "too-long";
  }
  if (status === 429 || type === "rate_limit_error") return "rate-limit";
  if (status === 529 || type === "overloaded_error") return "overloaded";
  const isServerSide = status === undefined ? type === "api_error" : status >= 500 || status === 408 || status === 409;
  if (isServerSide) return "server";
  return status === undefined ? "connection" : "refused-request";
}

function deepestMessage(error: Error): string {
  return error.cause instanceof Error ? deepestMessage(error.cause) : error.message;
}
