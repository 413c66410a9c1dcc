import { closeSync, constants, type FSWatcher, openSync, renameSync, watch } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isFileError } from "../../errors.js";
import { isWithin } from "../workspace.js";
import { asideName, identityOf, newTraps, type Survey, statsOf, surveyTraps, type Trap } from "./survey-traps.js";
import { TrapNote } from "./trap-note.js";

const LEAST_GAP_MS = 1_000;
/** How much more time passes between two looks than one takes. */
const PAUSE_FACTOR = 20;
/** After a change in the project's own folder. */
const SOON_MS = 20;

/**
 * What must not exist cannot be made read-only: bubblewrap would leave an empty file in its place. So files that other programs run
 * by themselves are put aside when a command in the sandbox has created them: at its end, and while it runs. Who created a file
 * cannot be seen; what appears while a command runs, and is not of a tool of turnlog, counts as the command's.
 */
export class Traps {
  readonly #notes: string[] = [];
  readonly #note: TrapNote;
  #before: Survey;
  #accepted: readonly string[] = [];
  #running = 0;
  #stopWatching = () => {};

  constructor(
    private readonly roots: readonly string[],
    dataDir: string,
    /** Tells the person. */
    private readonly tell: (text: string) => void,
  ) {
    this.#note = new TrapNote(dataDir);
    this.#before = surveyTraps(roots);
  }

  /** What was there before the commands. */
  get found(): Survey {
    return this.#before;
  }

  /** Before each command. Returns what is there. */
  enter(): Survey {
    const now = surveyTraps(this.roots, this.#before.folders);
    this.#running += 1;
    if (this.#running > 1) return now;
    this.#before = now;
    this.#accepted = [];
    this.#writeNote();
    this.#stopWatching = this.#watch();
    return now;
  }

  /** After each command. */
  leave(): void {
    if (this.#running === 0) return; // closed
    this.#check();
    this.#running -= 1;
    if (this.#running === 0) this.#end();
  }

  /** A tool writes this file, as somebody approved. */
  accept(path: string): void {
    if (this.#running === 0) return;
    this.#accepted = [...this.#accepted, path];
    this.#writeNote();
  }

  /** For the model: what was put aside since the last time. */
  takeNotes(): string {
    return this.#notes
      .splice(0)
      .map((note) => `\n(${note})`)
      .join("");
  }

  close(): void {
    if (this.#running === 0) return;
    this.#check();
    this.#running = 0;
    this.#end();
  }

  #end(): void {
    this.#stopWatching();
    this.#note.remove();
  }

  #writeNote(): void {
    this.#note.write({ roots: this.roots, found: [...this.#before.found], accepted: this.#accepted });
  }

  /** Returns what ends it. */
  #watch(): () => void {
    let timer: NodeJS.Timeout | undefined;
    let nextAt = 0;
    const look = () => {
      const started = performance.now();
      this.#note.beat();
      this.#check();
      const gap = Math.max(LEAST_GAP_MS, (performance.now() - started) * PAUSE_FACTOR);
      this.#note.expectBeatWithin(gap);
      schedule(gap);
    };
    const schedule = (delay: number) => {
      const at = performance.now() + delay;
      if (timer && at >= nextAt) return;
      clearTimeout(timer);
      nextAt = at;
      timer = setTimeout(() => {
        timer = undefined;
        look();
      }, delay).unref();
    };
    const places = [...this.roots, ...this.#before.repositories.keys()];
    const watchers = places.flatMap((path) => watchFolder(path, () => schedule(SOON_MS)) ?? []);
    schedule(LEAST_GAP_MS);
    return () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    };
  }

  #check(): void {
    const traps = newTraps(this.#before, surveyTraps(this.roots, this.#before.folders));
    for (const trap of traps.filter(({ path }) => !this.#accepted.some((own) => isWithin(own, path)))) {
      const note = putAside(trap, this.roots);
      if (note === undefined) continue;
      this.#notes.push(note);
      this.tell(note);
    }
  }
}

/** Puts aside what commands of a killed turnlog created. */
export function clearLeftTraps(dataDir: string, tell: (text: string) => void): void {
  TrapNote.forEachLeft(dataDir, ({ roots, found, accepted, isFromThen }) => {
    const traps = newTraps({ found: new Map(found) }, surveyTraps(roots));
    for (const trap of traps.filter(({ path }) => !accepted.some((own) => isWithin(own, path)))) {
      const stats = statsOf(trap.path);
      const note = stats && isFromThen(stats) ? putAside(trap, roots) : undefined;
      if (note !== undefined) tell(note);
    }
  });
}

const REASON =
  "a command in the sandbox created it, and another program would run it outside; look at it, and create it with Write if it is wanted";

/**
 * Returns a note. A command that still runs could replace a folder on the way by a link out of the project, so each folder
 * is opened in the one above it, and the file renamed in the folder that was opened.
 */
function putAside({ path, identity }: Trap, roots: readonly string[]): string | undefined {
  const root = roots.find((folder) => isWithin(path, folder));
  if (root === undefined) return undefined;
  try {
    return inFolder(root, relative(root, dirname(path)).split(sep).filter(Boolean), (folder) => {
      const name = basename(path);
      const stats = statsOf(join(folder, name));
      if (!stats || identityOf(stats) !== identity) return undefined;
      let number = 1;
      while (statsOf(join(folder, asideName(name, number)))) number += 1;
      renameSync(join(folder, name), join(folder, asideName(name, number)));
      return `${path} was renamed to ${asideName(name, number)}: ${REASON}`;
    });
  } catch (error) {
    if (isFileError(error)) return undefined; // the command took it away itself, or moved its folder
    throw error;
  }
}

/** Calls with a path of the innermost folder that, on Linux, stays the same folder whatever is renamed. */
function inFolder<T>(folder: string, names: readonly string[], use: (folder: string) => T): T {
  const file = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const opened = process.platform === "linux" ? `/proc/self/fd/${file}` : folder;
    const [name, ...rest] = names;
    return name === undefined ? use(opened) : inFolder(join(opened, name), rest, use);
  } finally {
    closeSync(file);
  }
}

/** Undefined: this system has no means left to watch it; it is still looked at now and then. */
function watchFolder(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(path, { persistent: false }, onChange).on("error", () => undefined);
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}
