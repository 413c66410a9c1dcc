import type { Io } from "../app/io.js";
import { choosePager } from "./choose-pager.js";

/** What is to be read, through a pager where somebody sits at a terminal. False when the reader did not want all of it. */
export async function writePages(pieces: Iterable<string>, isPaged: boolean, io: Io): Promise<boolean> {
  const command = isPaged ? choosePager(io) : null;
  const pager = command && (await io.startPager(command));
  if (!pager) {
    for (const piece of pieces) await io.stdout(piece);
    return true;
  }
  try {
    for (const piece of pieces) if (!(await pager.write(piece))) return false;
    return true;
  } finally {
    await pager.close();
  }
}
