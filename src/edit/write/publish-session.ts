import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWriteChunks, syncFolder } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";
import { draftPathOf, keepTemporary, removeAtEnd, removeTemporary, undoUnless } from "../../store/temporary.js";

/** A file of a new session, by its path below a folder of the session. */
interface NamedFile {
  readonly name: string;
}

/** A folder under a hidden name until its session is complete. */
export class HiddenFolder<File extends NamedFile = NamedFile> {
  readonly #path: string;
  readonly #files: readonly File[];
  readonly #hidden: string;
  #isShown = false;

  constructor(path: string, files: readonly File[]) {
    this.#path = path;
    this.#files = files;
    this.#hidden = draftPathOf(path);
  }

  /** None where there is nothing to write. */
  get target(): string[] {
    return this.#files.length === 0 ? [] : [this.#path];
  }

  async fill(copy: (file: File, path: string) => Promise<void>): Promise<void> {
    if (this.#files.length > 0) removeAtEnd(this.#hidden);
    for (const file of this.#files) {
      const path = join(this.#hidden, file.name);
      makeFolder(dirname(path));
      await copy(file, path);
    }
  }

  show(): void {
    if (this.#files.length === 0) return;
    renameSync(this.#hidden, this.#path);
    keepTemporary(this.#hidden);
    this.#isShown = true;
    syncFolder(dirname(this.#path));
  }

  remove(): void {
    if (this.#files.length > 0) removeTemporary(this.#isShown ? this.#path : this.#hidden);
  }
}

/**
 * Gives a new session its names: its folders when the transcript is complete, then the transcript, so that Claude Code never
 * finds a part of a session. If the process is killed in between, the next start removes them.
 */
export async function publishSession(
  path: string,
  lines: Iterable<Uint8Array>,
  folders: readonly Pick<HiddenFolder, "target" | "show">[],
  beforeNaming: () => void = () => {},
): Promise<void> {
  const undo = undoUnless(
    path,
    folders.flatMap((folder) => folder.target),
  );
  try {
    const name = () => {
      beforeNaming();
      for (const folder of folders) folder.show();
    };
    await atomicWriteChunks(path, lines, { overwrite: false, beforeNaming: name });
  } finally {
    removeTemporary(undo);
  }
}

const PIECE_BYTES = 1024 * 1024;

/** Few large writes instead of one for each line. */
export function* inLargePieces(lines: Iterable<Buffer>): Generator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for (const line of lines) {
    held.push(line);
    bytes += line.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  yield Buffer.concat(held);
}
