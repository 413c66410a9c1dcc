import { EventEmitter } from "node:events";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import {
  type EntryTask,
  type FileToRead,
  readEntries,
  runEntryThread,
} from "../../../src/library/entries/read-entries.js";
import { EntryReading, type EntryRequest } from "../../../src/library/entries/read-entry.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const NAMES = Array.from(
  { length: 40 },
  (_, at) => `0000000${at % 10}-000${Math.floor(at / 10)}-4000-8000-000000000000.jsonl`,
);
function library(): FileToRead[] {
  const texts = NAMES.map((name, at) => [name, `${writeLines([prompt(`word${at}`), answer("done")]).join("\n")}\n`]);
  const root = temporaryFolder(Object.fromEntries(texts));
  return [...NAMES.map((name, at) => toRead(join(root, name), at % 5 !== 0)), toRead(join(root, "gone"), true)];
}

/** As a thread: what it gets and posts is copied, and comes later. `most`: it ends before it posts more. */
function threadOf(most = Number.POSITIVE_INFINITY): Worker {
  const thread = new EventEmitter();
  const post = (posted: unknown) => thread.emit("message", structuredClone(posted));
  let left = most;
  const postMessage = (task: EntryTask) =>
    setImmediate(() => {
      try {
        runEntryThread(task, (posted) => {
          if (left-- <= 0) throw new Error("out of memory");
          post(posted);
        });
      } catch (error) {
        thread.emit("error", error);
        thread.emit("exit", 1);
      }
    });
  const terminate = () => Promise.resolve(setImmediate(() => thread.emit("exit", 0)));
  return Object.assign(thread, { postMessage, terminate }) as unknown as Worker;
}

function toRead(path: string, isShared: boolean): FileToRead {
  const file: EntryRequest = { path, openPath: path, isAgent: false, isGrowing: false, known: undefined };
  const { known: _, ...fresh } = file;
  return { size: 1, fresh: isShared ? fresh : undefined, read: () => new EntryReading(file).read(file) };
}

async function readAll(startThread: (() => Promise<Worker>) | undefined, files: readonly FileToRead[]) {
  const found: unknown[] = [];
  let pieces = 0;
  for await (const { done } of readEntries(files, { startThread, bytesForThreads: 0, pauseBytes: 1 })) {
    if (done) found[done.at] = (done.outcome as { numbers?: unknown }).numbers ?? done.outcome;
    if (done) pieces += 1;
  }
  return { found, pieces };
}

test.each([
  ["a thread", () => threadOf()],
  ["a thread that ends at once", () => threadOf(0)],
  ["a thread that ends after some files", () => threadOf(7)],
])("%s and this one read what this one reads alone, each file once", async (_, start) => {
  const files = library();
  const alone = await readAll(undefined, files);
  expect(alone.pieces).toBe(files.length);
  expect(alone.found.at(-1)).toBe("missing");
  expect(await readAll(async () => start(), files)).toEqual(alone);
});
