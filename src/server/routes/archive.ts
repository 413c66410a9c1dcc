import { Hono } from "hono";
import * as z from "zod";
import { switchArchive } from "../../app/organize/archive.js";
import { findComingLoss } from "../../app/organize/coming-loss.js";
import { type Environment, readSettings } from "../../app/settings.js";
import { UserError } from "../../errors.js";
import type { ArchiveAnswer, ArchiveRequest } from "../api/archive.js";
import { readBody } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";

const SWITCH: z.ZodType<ArchiveRequest> = z.strictObject({ enabled: z.literal(true) });

export function archiveRoutes(library: ServedLibrary, io: Environment): Hono {
  const app = new Hono();

  async function describe(): Promise<ArchiveAnswer> {
    const { archive } = await readSettings(io);
    const loss = archive?.warn === false ? null : await findComingLoss(io, library.rootOptions);
    return { enabled: archive?.enabled ?? false, loss };
  }

  app.get("/archive", async (c) => c.json(await describe()));

  app.post("/archive", async (c) => {
    const { enabled } = await readBody(c, SWITCH);
    if (library.isDemo) throw new UserError("usage", "demo sessions are not archived", "try it with your own sessions");
    await switchArchive(enabled, library.rootOptions, io);
    return c.json(await describe());
  });

  return app;
}
