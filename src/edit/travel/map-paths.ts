import { readFileSync } from "node:fs";
import type { MovedFolder } from "../../format/layout/map-path.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { parseLine } from "../../format/reader/parse-line.js";
import { rewriteOutputPaths, rewritePaths, stillNames } from "../../format/writer/rewrite-paths.js";
import { editLine, mapLines } from "../write/edited-lines.js";

/*
 * Where a session lies, and the same session at another place. Paths are rewritten where Claude Code reads them: in the fields that
 * hold one (PATH_KEYS), and where a record says in which file its output was stored. What people, the model and tools wrote
 * stays as it is, and lines that name an old folder there are counted.
 */

export interface SessionPlace {
  /** Where its transcript is. */
  readonly path: string;
  /** Folders that its records may name, by what they are: its project, the home folder, Claude Code's folder. */
  readonly folders: Readonly<Record<string, string>>;
}

/** Lines with a stored path that changed, and lines that name an old folder in text, which stay as they are. */
export interface RewrittenLines {
  readonly rewritten: number;
  readonly left: number;
}

export class PathMap {
  readonly #from: SessionPlace;
  readonly #to: SessionPlace;
  readonly #folders: readonly MovedFolder[];
  #rewritten = 0;
  #left = 0;

  constructor(from: SessionPlace, to: SessionPlace) {
    this.#from = from;
    this.#to = to;
    this.#folders = Object.entries(from.folders).flatMap(([name, folder]) => {
      const moved = to.folders[name];
      return moved === undefined || moved === folder ? [] : [{ from: folder, to: moved }];
    });
  }

  /** The bytes of one record, or of a file that is one JSON value. */
  rewrite(bytes: Buffer): Buffer {
    const [before, after] = [sessionPaths(this.#from.path), sessionPaths(this.#to.path)];
    const folders = [...this.#folders, { from: before.sideDir, to: after.sideDir }];
    return rewriteOutputPaths(rewritePaths(bytes, folders), before, after);
  }

  get counts(): RewrittenLines {
    return { rewritten: this.#rewritten, left: this.#left };
  }

  /** Counts what became of a line. */
  count(before: Buffer, after: Buffer): void {
    if (!after.equals(before)) this.#rewritten += 1;
    if (this.#folders.some((folder) => stillNames(after, folder))) this.#left += 1;
  }
}

/** A file of a session with its paths rewritten: a transcript line by line, any other as one JSON value. */
export function* mappedFile(path: string, map: PathMap): Generator<Buffer> {
  if (path.endsWith(".json")) {
    const whole = readFileSync(path);
    const mapped = map.rewrite(whole);
    map.count(whole, mapped);
    yield mapped;
    return;
  }
  yield* mapLines(path, Number.POSITIVE_INFINITY, (line) => {
    const records = parseLine(line, { abridge: true });
    const edited = editLine(line, records, (bytes, { kind }) => (kind === "broken" ? bytes : map.rewrite(bytes)));
    for (const whole of edited) map.count(line.bytes.subarray(line.start, line.end), whole.subarray(0, -1));
    return edited;
  });
}
