import { once } from "node:events";
import type { Readable } from "node:stream";

/** Whoever pipes in the output of a slow command needs some; a pipe that nobody closes must not keep anybody waiting for ever. */
const PATIENCE_MS = 3_000;

export interface PipeOptions {
  readonly signal: AbortSignal;
  readonly patienceMs?: number;
  /** Nothing came in time. */
  onSilence(patienceMs: number): void;
}

/** All that comes through a pipe, once something has begun to come. */
export async function readPipedPrompt(stream: Readable, options: PipeOptions): Promise<string> {
  const { signal, patienceMs = PATIENCE_MS, onSilence } = options;
  if ("isTTY" in stream && stream.isTTY) return "";
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const hasBegun = await Promise.race([
    once(stream, "readable", { signal: limit }).then(() => true),
    once(stream, "end", { signal: limit }).then(() => true),
  ]).catch(() => false);
  if (!hasBegun) {
    if (!signal.aborted) onSilence(patienceMs);
    stream.destroy();
    return "";
  }
  return readToEnd(stream, signal);
}

/** Up to where it was interrupted. */
export async function readToEnd(stream: Readable, signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  const stop = () => void stream.destroy();
  signal.addEventListener("abort", stop);
  try {
    for await (const piece of stream) pieces.push(Buffer.from(piece as Uint8Array));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(pieces).toString();
}
