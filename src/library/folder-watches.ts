import { type FSWatcher, watch as watchFolder } from "node:fs";
import { isFileError } from "../format/file-error.js";
import type { WatchedFolder } from "./watched-folder.js";

/** `fs.watch`, as far as it is needed here. */
export type Watch = (
  path: string,
  options: { readonly recursive: boolean },
  listener: (event: string, name: string | null) => void,
) => Pick<FSWatcher, "close" | "on">;

export interface FolderWatchesOptions {
  readonly watch?: Watch | undefined;
  /** One watch sees all that is below it: macOS and Windows. */
  readonly isRecursive: boolean;
  readonly maxWatches: number;
  /** `name` is relative to the folder; null where the system does not tell. */
  onEvent(folder: WatchedFolder, name: string | null): void;
  /** Called once: some folders cannot be watched, and are only looked at from time to time. */
  onProblem(reason: string): void;
}

/** The system has no watches left; asking for more would only fail again. */
const EXHAUSTED: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EMFILE", "ENFILE"]);

/** The system's own watches, one a folder, as many as there may be. */
export class FolderWatches {
  private readonly watchers = new Map<WatchedFolder, Pick<FSWatcher, "close">>();
  private isExhausted = false;
  private isReported = false;

  constructor(private readonly options: FolderWatchesOptions) {}

  /** Whether the system tells what changes in the folder. */
  covers(folder: WatchedFolder): boolean {
    if (this.watchers.has(folder)) return true;
    return this.options.isRecursive && !folder.isLink && folder.parent !== undefined && this.covers(folder.parent);
  }

  add(folder: WatchedFolder): void {
    if (this.covers(folder) || this.isExhausted) return;
    if (this.watchers.size >= this.options.maxWatches) this.report(`there are more than ${this.options.maxWatches}`);
    else this.tryToOpen(folder);
  }

  remove(folder: WatchedFolder): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private tryToOpen(folder: WatchedFolder): void {
    const { watch = watchFolder, isRecursive, onEvent } = this.options;
    try {
      const watcher = watch(folder.path, { recursive: isRecursive }, (_event, name) => onEvent(folder, name));
      watcher.on("error", (error) => this.fail(folder, error));
      this.watchers.set(folder, watcher);
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.fail(folder, error);
    }
  }

  /** That a folder went away while it was being watched is no failure. */
  private fail(folder: WatchedFolder, error: Error): void {
    this.remove(folder);
    const code = isFileError(error) ? error.code : undefined;
    if (EXHAUSTED.has(code)) this.isExhausted = true;
    if (code === "ENOENT" || code === "EPERM") this.options.onEvent(folder, null);
    else this.report(error.message);
  }

  private report(reason: string): void {
    if (this.isReported) return;
    this.isReported = true;
    this.options.onProblem(reason);
  }
}
