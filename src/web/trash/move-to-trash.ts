import { formatCount } from "../../render/format-values.js";
import { say } from "../../render/html/page-script/say.js";
import type { DeleteAnswer } from "../../server/api/trash.js";
import { change } from "../api.js";
import { toApiError } from "../use-answer.js";

/** The trash itself is the way back: nothing is asked first. True where any of them went. */
export async function moveToTrash(ids: readonly string[]): Promise<boolean> {
  try {
    const { deleted, spared } = await change<DeleteAnswer>("/api/trash", { ids });
    const moved = deleted.length === 0 ? [] : [`${formatCount(deleted.length, "session")} moved to the trash`];
    const kept = spared.slice(0, 1).map(({ reason }) => `${formatCount(spared.length, "session")} kept: ${reason}`);
    say([...moved, ...kept].join("; "));
    return deleted.length > 0;
  } catch (error) {
    say(toApiError(error).message);
    return false;
  }
}
