import { chmodSync, closeSync, openSync, utimesSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../../errors.js";
import { isPlainFileName } from "../../format/layout/path-forms.js";
import { makeFolder } from "../../store/make-folder.js";
import { isThere } from "../../store/move-file.js";
import { makeTemporaryFolder, removeTemporary } from "../../store/temporary.js";
import type { ArchivedSession } from "./archive.js";
import type { ArchivedFile } from "./archived-file.js";
import { readMembers } from "./gzip-members.js";
import { restoreItems } from "./session-items.js";

/** Unpacks a session with its side files into a temporary folder, and returns the transcript's path; removed when the process ends. */
export function openArchived(session: ArchivedSession): string {
  const folder = makeTemporaryFolder("archived");
  for (const file of session.files) unpackFile(session.folder, file, join(folder, ...partsOf(file)));
  const [transcript] = session.files;
  return transcript ? join(folder, ...partsOf(transcript)) : folder;
}

export interface RestoredFiles {
  readonly path: string; // of the transcript
  /** Files that were not there already. */
  readonly written: number;
  readonly isTranscriptNew: boolean;
}

/**
 * Restores a session below its root or another folder; refuses to overwrite. Files get the current time: Claude Code
 * deletes old sessions and would do it again.
 */
export function restoreArchived(session: ArchivedSession, root: string = session.root): RestoredFiles {
  const folder = makeTemporaryFolder("restored");
  const mtimeMs = Date.now();
  try {
    const items = session.files.map((file, at) => {
      const stored = String(at);
      unpackFile(session.folder, { ...file, mtimeMs }, join(folder, stored));
      const { mode, rawLength: size } = file;
      return { path: join(root, ...partsOf(file)), kind: "file" as const, mode, mtimeMs, size, stored };
    });
    const isNew = items.map(({ path }) => !isThere(path));
    restoreItems({ folder, items });
    return {
      path: items[0]?.path ?? root,
      isTranscriptNew: isNew[0] ?? false,
      written: isNew.filter(Boolean).length,
    };
  } finally {
    removeTemporary(folder);
  }
}

function unpackFile(folder: string, { data, packedLength, mode, mtimeMs }: ArchivedFile, target: string): void {
  makeFolder(dirname(target));
  const file = openSync(target, "wx", 0o600);
  try {
    for (const piece of readMembers(join(folder, data), packedLength))
      for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done);
  } finally {
    closeSync(file);
  }
  chmodSync(target, mode & 0o7777);
  utimesSync(target, mtimeMs / 1000, mtimeMs / 1000);
}

function partsOf({ name }: ArchivedFile): string[] {
  const parts = name.split("/");
  if (parts.every(isPlainFileName)) return parts;
  throw new UserError("unreadable", `the archive lists a file outside of its folder: ${name}`);
}
