import { formatCount } from "../../render/format-values.js";
import { say } from "../../render/html/page-script/say.js";
import type { DeleteAnswer } from "../../server/api/trash.js";
import { change } from "../api.js";
import { toApiError } from "../use-answer.js";

/** The trash itself is the way back: nothing is asked first. True where all of them went. */
export async function moveToTrash(ids: readonly string[]): Promise<boolean> {
  try {
    const { deleted, spared } = await change<DeleteAnswer>("/api/trash", { ids });
    const [first] = spared;
    say(first ? `Kept: ${first.reason}` : `${formatCount(deleted.length, "session")} moved to the trash`);
    return first === undefined;
  } catch (error) {
    say(toApiError(error).message);
    return false;
  }
}
