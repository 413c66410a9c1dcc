import { createHash } from "node:crypto";
import { dirname, join } from "node:path";

/** The files of an invented project while a session edits them, with the backups that the client keeps. */
export function openWorkspace(cwd, initial) {
  let files = new Map(Object.entries(initial).map(([path, text]) => [join(cwd, path), text]));
  const versions = new Map(); // absolute path -> { version, text }
  const backups = new Map(); // backup file name -> text

  const absolute = (path) => (path.startsWith("/") ? path : join(cwd, path));
  const nameOf = (path, version) => `${createHash("sha256").update(path).digest("hex").slice(0, 16)}@v${version}`;

  function backUp(path, clock) {
    const text = files.get(path);
    const version = (versions.get(path)?.version ?? 0) + 1;
    const backupFileName = text === undefined ? null : nameOf(path, version);
    if (backupFileName !== null) backups.set(backupFileName, text);
    versions.set(path, { version, text, backupFileName, backupTime: clock.now(), realParentDir: dirname(path) });
    return toBackup(versions.get(path));
  }

  return {
    cwd,
    absolute,
    backups,
    relative: (path) => path.slice(cwd.length + 1),
    read(path) {
      const text = files.get(absolute(path));
      if (text === undefined) throw new Error(`the story reads ${path}, which does not exist`);
      return text;
    },
    has: (path) => files.has(absolute(path)),
    write: (path, text) => files.set(absolute(path), text),
    /** Replaces the one occurrence, so that a story cannot edit what is not there. */
    edit(path, oldString, newString) {
      const before = files.get(absolute(path)) ?? "";
      if (before.split(oldString).length !== 2) throw new Error(`the story edits ${path} where it does not match once`);
      const after = before.replace(oldString, () => newString);
      files.set(absolute(path), after);
      return { before, after };
    },
    isTracked: (path) => versions.has(absolute(path)),
    backUp: (path, clock) => backUp(absolute(path), clock),
    /** What a snapshot before a prompt lists: every file edited so far, with a new version where it changed. */
    tracked(clock) {
      for (const [path, { text }] of versions) if (files.get(path) !== text) backUp(path, clock);
      return Object.fromEntries([...versions].map(([path, known]) => [path.slice(cwd.length + 1), toBackup(known)]));
    },
    mark: () => new Map(files),
    rewind(mark) {
      files = new Map(mark);
    },
  };
}

function toBackup({ backupFileName, version, backupTime, realParentDir }) {
  return { backupFileName, version, backupTime, realParentDir };
}
