import type { ServedLibrary } from "./served-library.js";
import { viewSessionOutline } from "./views/view-outline.js";

/** Sessions so large that reading one takes a second are read before somebody asks. */
const LARGE_BYTES = 24 * 1024 * 1024;
const READ_AHEAD = 2;

/** What somebody who opens the page asks for first: the list, and the latest large sessions. */
export async function readAhead({ list, open, knowledge, tell }: ServedLibrary): Promise<void> {
  try {
    const large = (await list()).filter(({ sizeBytes, archived }) => sizeBytes > LARGE_BYTES && !archived);
    for (const summary of large.slice(0, READ_AHEAD)) {
      viewSessionOutline(await open(summary.id), summary, { branch: undefined, from: 1 }, await knowledge());
    }
  } catch (error) {
    tell(String(error));
  }
}
