import type { Readable } from "node:stream";

/** Who pipes something in does it at once; a pipe that nobody closes must not keep anybody waiting. */
const PATIENCE_MS = 250;

/** What comes through a pipe until it ends, or until nothing came for a moment. */
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
