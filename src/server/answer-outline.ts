import type { SessionAnswer } from "./api/session.js";
import type { ServedLibrary } from "./served-library.js";
import { type OutlineRequest, viewSessionOutline } from "./views/view-outline.js";

/** A session by its id, without the texts. */
export async function answerOutline(
  library: ServedLibrary,
  id: string,
  request: OutlineRequest,
): Promise<SessionAnswer> {
  const place = await library.find(id);
  const outline = viewSessionOutline(await library.open(place.id), place, request, await library.knowledge());
  return { ...outline, live: library.isLive({ id: place.id, endedAt: outline.header.endedAt }) };
}
