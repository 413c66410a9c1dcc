import { setImmediate as nextTurn } from "node:timers/promises";
import { Hono } from "hono";
import { diffPieces } from "../../app/files-diff.js";
import { UserError } from "../../errors.js";
import { listingSessionFiles, type SessionFiles } from "../../library/session-files.js";
import { sumFiles } from "../../session/sum-files.js";
import type { DiffAnswer, FilesAnswer } from "../api/files.js";
import { branchOf } from "../branch-of.js";
import { inPieces } from "../in-pieces.js";
import { type QueryFields, readQuery } from "../query-fields.js";
import type { ServedLibrary } from "../served-library.js";
import type { CachedSession } from "../session-cache.js";

const DIFF_CHARACTERS = 4_000_000;

export function fileRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/files", async (c) => {
    const query = readQuery(c);
    const cached = await openNamed(library, query);
    const { cwd, touches, commands } = await filesOf(cached, query.text("branch"));
    const answer: FilesAnswer = {
      cwd,
      files: sumFiles(touches, cwd),
      perhaps: commands.map(({ kind, path, to, command, site: { turn, agentId } }) => ({
        kind,
        path,
        to: to ?? null,
        turn,
        agentId,
        command,
      })),
    };
    return c.json(cached.clean(answer, "files"));
  });

  app.get("/files/diff", async (c) => {
    const cached = await openNamed(library, readQuery(c));
    const notes: string[] = [];
    const texts: string[] = [];
    let left = DIFF_CHARACTERS;
    for (const piece of diffPieces(await filesOf(cached), { clean: cached.clean, note: (text) => notes.push(text) })) {
      if (left > 0) texts.push(piece.slice(0, left));
      left -= piece.length;
      await nextTurn();
    }
    const answer: DiffAnswer = { diff: texts.join(""), notes: cached.clean(notes, "diff"), isCut: left < 0 };
    return c.json(answer);
  });

  return app;
}

function filesOf({ session, once }: CachedSession, branch?: string): Promise<SessionFiles> {
  if (branch !== undefined) return inPieces(listingSessionFiles(branchOf(session, branch)));
  return once("files", () => inPieces(listingSessionFiles(session)));
}

function openNamed(library: ServedLibrary, query: QueryFields): Promise<CachedSession> {
  const id = query.text("session");
  if (id === undefined) throw new UserError("usage", "which session?", "session wants the id of a session");
  return library.open(id);
}
