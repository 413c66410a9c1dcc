import { basename } from "node:path";
import { Hono } from "hono";
import * as z from "zod";
import { describeActivity } from "../../app/describe-activity.js";
import { describeMentions } from "../../app/organize/describe-mentions.js";
import { describeTrashed } from "../../app/organize/trash.js";
import { UserError } from "../../errors.js";
import { isInCache } from "../../library/machines/machine-sources.js";
import { openRunningSessions } from "../../library/running/running-sessions.js";
import { deleteSessions, describeDeletable, findMentions } from "../../library/trash/delete-sessions.js";
import {
  listTrash,
  removeFromTrash,
  restoreFromTrash,
  type TrashedSession,
  withTrash,
} from "../../library/trash/trash.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type {
  DeleteAnswer,
  DeleteRequest,
  RemoveAnswer,
  RestoreAnswer,
  TrashAnswer,
  TrashEntry,
  TrashRequest,
} from "../api/trash.js";
import { readBody } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";

const MAX_ENTRIES = 500;
const DELETE: z.ZodType<DeleteRequest> = z.strictObject({
  ids: z.array(z.string().max(200)).min(1).max(MAX_ENTRIES),
  force: z.boolean().optional(),
});
const ENTRIES: z.ZodType<TrashRequest> = z.strictObject({
  entries: z.array(z.string().max(200)).min(1).max(MAX_ENTRIES),
});

export function trashRoutes(library: ServedLibrary): Hono {
  const app = new Hono();
  const { dataFolder } = library;

  async function publishChange(): Promise<void> {
    await library.sync.refresh();
    library.hub.publish({ kind: "trash" });
  }

  app.get("/trash", async (c) => {
    const redactor = await library.masking();
    const sessions = await withTrash(dataFolder, (trash) =>
      listTrash(trash).map((session) => toEntry(session, redactor)),
    );
    return c.json({ sessions } satisfies TrashAnswer);
  });

  app.post("/trash", async (c) => {
    const { ids, force = false } = await readBody(c, DELETE);
    const answer = await deleteByIds(library, ids, force);
    await publishChange();
    return c.json(answer);
  });

  app.post("/trash/restore", async (c) => {
    const { entries } = await readBody(c, ENTRIES);
    const restored = await withTrash(dataFolder, (trash) =>
      findEntries(trash, entries).map(({ entry, session }) => {
        const missing = restoreFromTrash(session);
        return { entry, id: session.id, missing };
      }),
    );
    await publishChange();
    return c.json({ restored } satisfies RestoreAnswer);
  });

  app.post("/trash/remove", async (c) => {
    const { entries } = await readBody(c, ENTRIES);
    const removed = await withTrash(dataFolder, (trash) =>
      findEntries(trash, entries).map(({ entry, session }) => {
        removeFromTrash(session);
        return entry;
      }),
    );
    library.hub.publish({ kind: "trash" });
    return c.json({ removed } satisfies RemoveAnswer);
  });

  return app;
}

/** Running sessions are spared unless forced. */
async function deleteByIds(library: ServedLibrary, ids: readonly string[], force: boolean): Promise<DeleteAnswer> {
  if (library.isDemo) throw new UserError("usage", "demo sessions cannot be deleted", "try it with your own sessions");
  const options = await library.loadOptions();
  const located = await library.locateAll(ids);
  const running = openRunningSessions(library.dataFolder);
  const sessions = located.map(({ found, summary }) => describeDeletable(found, options, running, summary));
  const redactor = await library.masking();
  const spared = sessions.flatMap(({ id, path, activity }) => {
    if (isInCache(library.dataFolder, path)) return [{ id, reason: "a session of another machine" }];
    return activity && (activity.kind === "chat" || !force)
      ? [{ id, reason: describeActivity(activity, redactor) }]
      : [];
  });
  const movable = sessions.filter(({ id }) => !spared.some((other) => other.id === id));
  const mentions = findMentions(movable);
  await withTrash(library.dataFolder, (trash) => {
    deleteSessions(trash, movable, false);
  });
  return {
    deleted: movable.map(({ id }) => id),
    spared,
    remains: describeMentions([...mentions.values()].flat()),
  };
}

function toEntry(session: TrashedSession, redactor: Redactor): TrashEntry {
  const { path: _path, ...facts } = describeTrashed(session, redactor);
  return { entry: basename(session.folder), ...facts };
}

/** Looks entries up by name, so that no name from a request becomes a path. Throws where one is missing. */
function findEntries(trash: string, entries: readonly string[]): { entry: string; session: TrashedSession }[] {
  const listed = new Map(listTrash(trash).map((session) => [basename(session.folder), session]));
  return [...new Set(entries)].map((entry) => {
    const session = listed.get(entry);
    if (!session)
      throw new UserError("not-found", `not in the trash: ${entry.slice(0, 80)}`, "it may have been restored already");
    return { entry, session };
  });
}
