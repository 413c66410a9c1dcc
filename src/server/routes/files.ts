import { setImmediate as nextTurn } from "node:timers/promises";
import { Hono } from "hono";
import { diffPieces } from "../../app/files-diff.js";
import { listPerhaps, listUnrecorded } from "../../library/load/touched-files.js";
import { sumFiles } from "../../session/file-history/file-touches.js";
import type { DiffAnswer, FilesAnswer } from "../api/files.js";
import { readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { openNamed, touchedFilesOf } from "../views/touched-files.js";

const DIFF_CHARACTERS = 4_000_000;

export function fileRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/files", async (c) => {
    const query = readQuery(c);
    const cached = await openNamed(library, query);
    const touched = await touchedFilesOf(cached, query.text("branch"));
    const { cwd, touches } = touched;
    const answer: FilesAnswer = {
      cwd,
      files: sumFiles(touches, cwd),
      perhaps: listPerhaps(touched),
      unrecorded: listUnrecorded(touched),
    };
    return c.json(cached.clean(answer, "files"));
  });

  app.get("/files/diff", async (c) => {
    const cached = await openNamed(library, readQuery(c));
    const notes: string[] = [];
    const texts: string[] = [];
    let left = DIFF_CHARACTERS;
    for (const piece of diffPieces(await touchedFilesOf(cached), {
      clean: cached.clean,
      note: (text) => notes.push(text),
    })) {
      if (left > 0) texts.push(piece.slice(0, left));
      left -= piece.length;
      await nextTurn();
    }
    const answer: DiffAnswer = { diff: texts.join(""), notes, isCut: left < 0 };
    return c.json(answer);
  });

  return app;
}
