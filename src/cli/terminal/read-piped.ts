import type { Readable } from "node:stream";

/** Piped input arrives immediately; a pipe that is never closed must not block. */
const PATIENCE_MS = 250;

/** Reads a pipe until it ends or is silent for `patienceMs`. */
export function readPiped(stream: Readable, patienceMs = PATIENCE_MS): Promise<string> {
  if ("isTTY" in stream && stream.isTTY) return Promise.resolve("");
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      stream.destroy();
      resolve(Buffer.concat(pieces).toString());
    };
    const timer = setTimeout(finish, patienceMs);
    stream.on("data", (piece: Buffer | string) => {
      pieces.push(Buffer.from(piece));
      timer.refresh();
    });
    stream.once("end", finish);
    stream.once("error", finish);
  });
}
