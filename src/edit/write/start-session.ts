import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../errors.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { encodeLine } from "../../format/writer/append.js";
import { promptRecord, titleRecord } from "../../format/writer/new-records.js";
import { atomicWriteChunks } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";
import { derivedUuid } from "../plans/edit-plan.js";

/** A session that has a first prompt and no answer yet. */
export interface StartedSession {
  readonly id: string;
  readonly path: string;
  readonly cwd: string | null;
  readonly prompt: string;
  readonly title: string;
  readonly time: number; // ms since the epoch
}

/** Writes it as a whole or not at all; nothing is overwritten. */
export async function startSession({ id, path, cwd, prompt, title, time }: StartedSession): Promise<void> {
  const taken = [path, sessionPaths(path).sideDir].find(existsSync);
  if (taken !== undefined) throw new UserError("exists", `${taken} already exists`, "Run the command again.");
  makeFolder(dirname(path));
  const place = { uuid: derivedUuid(id, "prompt"), parentUuid: null, sessionId: id, time, cwd };
  const lines = [encodeLine(promptRecord(prompt, place)), encodeLine(titleRecord(title, id))];
  await atomicWriteChunks(path, lines, { overwrite: false });
}
