import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { isFileError, reasonOf, UserError } from "../../errors.js";
import type { FileBrief } from "./file-numbers.js";
import { type EntryOutcome, EntryReading, type EntryRequest, readBrief } from "./read-entry.js";

/** A file of which the catalog has nothing: plain data, so that any thread can read it. */
type NewFile = Omit<EntryRequest, "known">;

/** What a thread gets: it reads the file that is next until there is none, and posts what became of each. */
export interface EntryTask {
  readonly files: readonly NewFile[];
  readonly isBrief: boolean;
  readonly next: Int32Array; // shared, one number
}

/** Starts a thread that runs `runEntryThread`; its task follows as a message. */
export type StartThread = () => Promise<Worker>;

export type ReadFile<Found = EntryOutcome> = Found | { readonly problem: string };

type Posted<Found> = readonly [at: number, outcome: ReadFile<Found>];

/** A file to be read, and by whom: `read` continues what is known of it, a new one can be left to a thread. */
export interface FileToRead<Found = EntryOutcome> {
  readonly size: number;
  /** Undefined where only this thread can read it. */
  readonly fresh: NewFile | undefined;
  read(): Generator<number, Found>;
}

export interface ReadEntriesOptions {
  /** For a thread on each core; without it, all is read in this one. */
  readonly startThread?: StartThread | undefined;
  /** Below this many bytes, a thread takes longer to start than it saves. */
  readonly bytesForThreads?: number;
  /** After this many bytes others get their turn. */
  readonly pauseBytes: number;
  /** Threads read no more than a list shows (`readBrief`). */
  readonly isBrief?: boolean;
  /** What was read until then is still passed on. */
  readonly signal?: AbortSignal | undefined;
}

const BYTES_FOR_THREADS = 40_000_000;

/** Bytes that were read; with the last ones of a file, what it holds. */
export interface ReadPiece<Found> {
  readonly bytes: number;
  readonly done?: { readonly at: number; readonly outcome: ReadFile<Found> };
}

/** Reads files, the first ones first, on all cores where that pays. Errors other than those of a file end it. */
export async function* readEntries<Found>(
  files: readonly FileToRead<Found>[],
  { startThread, bytesForThreads = BYTES_FOR_THREADS, pauseBytes, isBrief = false, signal }: ReadEntriesOptions,
): AsyncGenerator<ReadPiece<Found>> {
  const shared = startThread ? files.flatMap(({ fresh }, at) => (fresh ? [at] : [])) : [];
  const isMuch = shared.reduce((sum, at) => sum + (files[at]?.size ?? 0), 0) > bytesForThreads;
  const helpers = startThread && isMuch ? await startHelpers(files, shared, startThread, isBrief) : undefined;
  const left = new Set(files.keys());
  let unpaused = 0;
  try {
    for (const at of helpers ? takeTurns(files, shared, helpers.task) : files.keys()) {
      for (const piece of readPieces(files[at], at)) {
        if (signal?.aborted) return;
        if (piece.done) left.delete(at);
        yield piece;
        unpaused += piece.bytes;
        if (!helpers && unpaused < pauseBytes) continue;
        unpaused = 0;
        await nextTurn();
        yield* deliver();
      }
    }
    while (helpers && helpers.running() > 0 && !signal?.aborted) {
      await helpers.posted();
      yield* deliver();
    }
    if (helpers) for (const at of left) yield* readPieces(files[at], at); // what a thread took and did not bring back
  } finally {
    helpers?.end();
  }

  function* deliver(): Generator<ReadPiece<Found>> {
    for (const [index, outcome] of helpers?.take() ?? []) {
      const at = shared[index] ?? -1;
      left.delete(at);
      yield { bytes: files[at]?.size ?? 0, done: { at, outcome } };
    }
  }
}

/** First the files that only this thread can read, then those that it gets before the others do. */
function* takeTurns(files: readonly unknown[], shared: readonly number[], { next }: EntryTask): Generator<number> {
  const isShared = new Set(shared);
  for (const at of files.keys()) if (!isShared.has(at)) yield at;
  for (let index = Atomics.add(next, 0, 1); index < shared.length; index = Atomics.add(next, 0, 1)) {
    yield shared[index] ?? -1;
  }
}

function* readPieces<Found>(file: FileToRead<Found> | undefined, at: number): Generator<ReadPiece<Found>> {
  if (!file) return;
  try {
    const pieces = file.read();
    for (;;) {
      const { value, done } = pieces.next();
      if (done) return yield { bytes: 0, done: { at, outcome: value } };
      yield { bytes: value };
    }
  } catch (error) {
    yield { bytes: 0, done: { at, outcome: toProblem(error) } };
  }
}

/** An unreadable file does not stop the others; any other error does. */
function toProblem(error: unknown): { readonly problem: string } {
  if (isUnreadable(error)) return { problem: reasonOf(error) };
  throw error;
}

export function isUnreadable(error: unknown): boolean {
  return error instanceof UserError || isFileError(error);
}

interface Helpers<Found> {
  readonly task: EntryTask;
  running(): number;
  /** What was posted since the last time. */
  take(): Posted<Found>[];
  /** Until something is posted, or one of them has ended. */
  posted(): Promise<void>;
  end(): void;
}

async function startHelpers<Found>(
  files: readonly FileToRead<Found>[],
  shared: readonly number[],
  startThread: StartThread,
  isBrief: boolean,
): Promise<Helpers<Found>> {
  const threads = await Promise.all(Array.from({ length: availableParallelism() - 1 }, startThread));
  const task = {
    files: shared.flatMap((at) => files[at]?.fresh ?? []),
    isBrief,
    next: new Int32Array(new SharedArrayBuffer(4)),
  };
  let inbox: Posted<Found>[] = [];
  let running = threads.length;
  let wake = () => {};
  for (const thread of threads) {
    thread.on("message", (posted: Posted<Found> | "done") => {
      if (posted === "done") void thread.terminate();
      else inbox.push(posted);
      wake();
    });
    thread.on("error", () => wake()); // what it had taken is read here
    thread.once("exit", () => {
      running -= 1;
      wake();
    });
    thread.postMessage(task);
  }
  return {
    task,
    running: () => running,
    take() {
      const taken = inbox;
      inbox = [];
      return taken;
    },
    posted: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (inbox.length > 0 || running === 0) resolve();
      }),
    end() {
      for (const thread of threads) void thread.terminate();
    },
  };
}

/** The work of a thread. */
export function runEntryThread(
  { files, isBrief, next }: EntryTask,
  post: (posted: Posted<EntryOutcome | FileBrief> | "done") => void,
): void {
  for (let at = Atomics.add(next, 0, 1); at < files.length; at = Atomics.add(next, 0, 1)) {
    const file = files[at];
    if (file) post([at, readOne(file, isBrief)]);
  }
  post("done");
}

function readOne(file: NewFile, isBrief: boolean): ReadFile<EntryOutcome | FileBrief> {
  try {
    return isBrief ? readBrief(file) : readWhole({ ...file, known: undefined });
  } catch (error) {
    return toProblem(error);
  }
}

function readWhole(request: EntryRequest): EntryOutcome {
  const reading = new EntryReading(request);
  try {
    const pieces = reading.read(request);
    for (;;) {
      const { value, done } = pieces.next();
      if (done) return value;
    }
  } finally {
    reading.close();
  }
}
