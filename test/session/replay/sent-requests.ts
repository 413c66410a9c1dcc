import { createHash } from "node:crypto";
import { isObject, type Json, stringAt, valueAt } from "../../oracle/json-at.js";

/** A request that the client recorded. Messages that it could rebuild from the session are known by their hash only. */
export interface SentRequest {
  readonly line: number;
  readonly messages: readonly { readonly hash: string; readonly message: Json | undefined }[];
  /** The record that the first answer to it hangs on, so the end of what was sent; null where nothing was answered. */
  readonly leaf: string | null;
}

/** A request is the first `keep` messages of its `base`, then its `tail`. */
export function sentRequests(rows: readonly Json[]): SentRequest[] {
  const blobs = new Map(ofType(rows, "api-request-blob").map(({ row }) => [row["hash"], valueAt(row, "message")]));
  const hashes = new Map<string, readonly string[]>();
  return ofType(rows, "api-request").map(({ row, line }) => {
    const base = hashes.get(stringAt(row, "base") ?? "") ?? [];
    const own = [...base.slice(0, Number(row["keep"] ?? 0)), ...((row["tail"] ?? []) as string[])];
    const id = stringAt(row, "id") ?? "";
    hashes.set(id, own);
    return {
      line,
      messages: own.map((hash) => ({ hash, message: toObject(blobs.get(hash)) })),
      leaf: leafOf(rows, id),
    };
  });
}

function ofType(rows: readonly Json[], type: string): { readonly row: Json; readonly line: number }[] {
  return rows.map((row, at) => ({ row, line: at + 1 })).filter(({ row }) => row["type"] === type);
}

function toObject(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined;
}

function leafOf(rows: readonly Json[], requestId: string): string | null {
  const answer = rows.find((row) => row["type"] === "assistant" && row["requestRef"] === requestId);
  return answer?.["isApiErrorMessage"] === true ? null : stringAt(answer, "parentUuid");
}

/** How the client names a message: SHA-256 over its JSON with sorted keys (found by trial, 2.1.325). */
export function hashOf(message: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sortKeys(message)))
    .digest("hex");
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sortKeys(value[key])]),
  );
}
