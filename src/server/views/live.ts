import { describeState } from "../../app/live/live-events.js";
import type { LiveRow } from "../../app/live/view-live.js";
import { pathBelow } from "../../session/file-history/file-path.js";
import type { ChangedFiles, RunningSession } from "../api/live.js";
import type { ServedLibrary } from "../library/served-library.js";
import { touchedFilesOf } from "./touched-files.js";

/** Listing the files of a session reads all of its calls, so a session that grows all the time is not asked every time. */
const FILES_MS = 10_000;
const LATEST_FILES = 3;

/** The name of the tool says no more than that there is a question. */
const QUESTION = /(?<=^waits for an answer: )AskUserQuestion: /;

/** The running sessions with what they changed. One for the life of a server. */
export function createLiveViewer(library: ServedLibrary): () => Promise<RunningSession[]> {
  const known = new Map<string, { readonly at: number; readonly files: Promise<ChangedFiles | null> }>();

  function filesOf({ id, path }: LiveRow): Promise<ChangedFiles | null> {
    if (path === null) return Promise.resolve(null);
    const before = known.get(id);
    if (before && performance.now() - before.at < FILES_MS) return before.files;
    const files = changedFiles(library, id).catch(() => null); // it may have been deleted meanwhile
    known.set(id, { at: performance.now(), files });
    return files;
  }

  return async () => {
    const rows = await library.live.look();
    for (const id of known.keys()) if (!rows.some((row) => row.id === id)) known.delete(id);
    return Promise.all(
      rows.map(async (row): Promise<RunningSession> => {
        const { path: _path, ...shown } = row;
        const stateText = describeState(row).replace(QUESTION, "");
        return { ...shown, stateText, needsYou: needsYou(row), files: await filesOf(row) };
      }),
    );
  };
}

function needsYou({ state, waitsFor }: LiveRow): boolean {
  return state === "stuck" || (state === "waiting" && waitsFor !== "prompt");
}

async function changedFiles(library: ServedLibrary, id: string): Promise<ChangedFiles> {
  const cached = await library.open(id);
  const { touches, cwd } = await touchedFilesOf(cached);
  const changed = touches.filter(({ kind, status }) => kind !== "read" && status === "ok");
  const latest = [...new Set(changed.map(({ path }) => path).reverse())];
  const names = latest.slice(0, LATEST_FILES).map((path) => pathBelow(path, cwd) ?? path);
  return cached.clean({ count: latest.length, latest: names }, "files");
}
