import type { Worker } from "node:worker_threads";
import { reasonOf } from "../../errors.js";
import type { CountedMessage } from "../../session/number-rows.js";
import { PARTS } from "../../session/session-spend.js";
import { type ScannedFile, scanFile } from "./scan-file.js";

/** What a thread gets: it scans the file that is next until there is none. */
export interface ScanTask {
  readonly files: readonly FileToScan[];
  readonly next: Int32Array; // shared, one number
}

export interface FileToScan {
  readonly path: string;
  readonly isAgent: boolean;
}

/** Starts a thread that runs `runScanThread`; its task follows as a message. */
export type StartThread = () => Worker;

export type ScanOutcome = ScannedFile | { readonly problem: string };

/** Scans files, the first ones first, together with some threads; without any, alone. */
export async function scanFiles(
  files: readonly FileToScan[],
  threads: readonly Worker[] = [],
): Promise<readonly ScanOutcome[]> {
  const task = { files, next: new Int32Array(new SharedArrayBuffer(4)) };
  const helpers = threads.map((thread) => helpedBy(thread, task));
  const outcomes = new Map(await scanNext(task));
  for (const helper of helpers) for (const [at, outcome] of await helper) outcomes.set(at, outcome);
  const done: ScanOutcome[] = [];
  // What a thread took and did not bring back is scanned here.
  for (const [at, file] of files.entries()) done.push(outcomes.get(at) ?? (await tryScan(file)));
  return done;
}

/** The work of a thread: all its outcomes in one message. */
export async function runScanThread(
  task: ScanTask,
  post: (packed: Packed, transfer: ArrayBuffer[]) => void,
): Promise<void> {
  const packed = pack(await scanNext(task));
  post(packed, [packed.numbers.buffer as ArrayBuffer]);
}

type Numbered = readonly [at: number, outcome: ScanOutcome];

async function scanNext({ files, next }: ScanTask): Promise<Numbered[]> {
  const outcomes: Numbered[] = [];
  for (let at = Atomics.add(next, 0, 1); ; at = Atomics.add(next, 0, 1)) {
    const file = files[at];
    if (!file) return outcomes;
    outcomes.push([at, await tryScan(file)]);
  }
}

async function tryScan({ path, isAgent }: FileToScan): Promise<ScanOutcome> {
  try {
    return scanFile(path, isAgent) ?? (await import("./read-spent.js")).readSpent(path, isAgent);
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

/** A thread that fails brings nothing back. */
function helpedBy(thread: Worker, task: ScanTask): Promise<Numbered[]> {
  thread.postMessage(task);
  return new Promise((resolve) => {
    thread.once("message", (packed: Packed) => resolve(unpack(packed)));
    thread.once("error", () => resolve([]));
    thread.once("exit", () => resolve([]));
  });
}

/** Copying a hundred thousand objects between threads takes longer than scanning: texts and numbers are passed in bulk. */
interface Packed {
  readonly files: readonly (readonly [at: number, messages: number, project: string | null, problem: string | null])[];
  readonly ids: readonly string[];
  readonly names: readonly (string | null)[];
  readonly numbers: Float64Array;
}

const MESSAGE_NUMBERS = 14;

function pack(outcomes: readonly Numbered[]): Packed {
  const files: Packed["files"][number][] = [];
  const messages: CountedMessage[] = [];
  for (const [at, outcome] of outcomes) {
    if ("problem" in outcome) files.push([at, 0, null, outcome.problem]);
    else {
      files.push([at, outcome.messages.length, outcome.project, null]);
      for (const message of outcome.messages) messages.push(message);
    }
  }
  const places = new Map<string | null, number>();
  const place = (name: string | null) => {
    const known = places.get(name) ?? places.size;
    places.set(name, known);
    return known;
  };
  const numbers = new Float64Array(messages.length * MESSAGE_NUMBERS);
  messages.forEach(({ time, model, speed, gitBranch, part, usage, isOutputKnown, isCopied }, index) => {
    const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches } = usage;
    const counters = [input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches];
    const flags = [Number(isOutputKnown), Number(isCopied), PARTS.indexOf(part)];
    const cells = [time ?? Number.NaN, place(model), place(speed), place(gitBranch), ...flags, ...counters];
    numbers.set(cells, index * MESSAGE_NUMBERS);
  });
  return { files, ids: messages.map(({ id }) => id), names: [...places.keys()], numbers };
}

function unpack({ files, ids, names, numbers }: Packed): Numbered[] {
  let index = 0;
  return files.map(([at, count, project, problem]): Numbered => {
    if (problem !== null) return [at, { problem }];
    const messages = Array.from({ length: count }, () => unpackMessage(ids[index] ?? "", names, numbers, index++));
    return [at, { project, messages }];
  });
}

function unpackMessage(id: string, names: Packed["names"], numbers: Float64Array, index: number): CountedMessage {
  const cell = (offset: number) => numbers[index * MESSAGE_NUMBERS + offset] ?? 0;
  const name = (offset: number) => names[cell(offset)] ?? null;
  const time = cell(0);
  return {
    id,
    time: Number.isNaN(time) ? null : time,
    model: name(1),
    speed: name(2),
    gitBranch: name(3),
    isOutputKnown: cell(4) === 1,
    isCopied: cell(5) === 1,
    part: PARTS[cell(6)] ?? "active",
    usage: {
      input: cell(7),
      output: cell(8),
      cacheRead: cell(9),
      cacheWrite5m: cell(10),
      cacheWrite1h: cell(11),
      webSearches: cell(12),
      webFetches: cell(13),
    },
  };
}
