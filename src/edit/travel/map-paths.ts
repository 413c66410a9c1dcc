import { readFileSync } from "node:fs";
import { type MovedFolder, mapPath } from "../../format/layout/map-path.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { parseLine } from "../../format/reader/parse-line.js";
import { rewriteOutputPaths, rewritePaths, rewriteStoredPaths, stillNames } from "../../format/writer/rewrite-paths.js";
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
  /** The place is none on a disk: its folders are tokens, each in braces. How paths below them are written is said apart. */
  readonly tokens?: { readonly isWindows: boolean };
}

/** Lines with a stored path that changed, and lines that name an old folder in text, which stay as they are. */
export interface RewrittenLines {
  readonly rewritten: number;
  readonly left: number;
}

export class PathMap {
  readonly #from: SessionPlace;
  readonly #to: SessionPlace;
  readonly #named: readonly MovedFolder[];
  readonly #folders: readonly MovedFolder[];
  #rewritten = 0;
  #left = 0;

  constructor(from: SessionPlace, to: SessionPlace) {
    this.#from = from;
    this.#to = to;
    this.#named = Object.entries(from.folders).flatMap(([name, folder]) => {
      const moved = to.folders[name];
      return moved === undefined || moved === folder ? [] : [{ from: folder, to: moved }];
    });
    const side = { from: sessionPaths(from.path).sideDir, to: sessionPaths(to.path).sideDir };
    this.#folders = [...this.#named, side].map((folder) => ({
      ...folder,
      ...(from.tokens && { isFromWindows: from.tokens.isWindows }),
      ...(to.tokens && { isToWindows: to.tokens.isWindows }),
    }));
  }

  /** The bytes of one record, or of a file that is one JSON value. */
  rewrite(bytes: Buffer): Buffer {
    return rewriteOutputPaths(this.#rewriteStored(bytes), sessionPaths(this.#from.path), sessionPaths(this.#to.path));
  }

  #rewriteStored(bytes: Buffer): Buffer {
    if (!this.#from.tokens && !this.#to.tokens) return rewritePaths(bytes, this.#folders);
    return rewriteStoredPaths(bytes, (path) => mapPath(path, this.#folders) ?? this.#escape(path));
  }

  /** A path that only looks like a token gets one more brace. */
  #escape(path: string): string | undefined {
    if (this.#to.tokens) return path.startsWith("{") ? `{${path}` : undefined;
    return path.startsWith("{{") ? path.slice(1) : undefined;
  }

  /** One path, at the other place. */
  place(path: string): string {
    return (
      mapPath(path, this.#folders) ?? (this.#from.tokens || this.#to.tokens ? this.#escape(path) : undefined) ?? path
    );
  }

  get counts(): RewrittenLines {
    return { rewritten: this.#rewritten, left: this.#left };
  }

  /** Counts what became of a line. */
  count(before: Buffer, after: Buffer): void {
    if (!after.equals(before)) this.#rewritten += 1;
    if (this.#named.some((folder) => stillNames(after, folder))) this.#left += 1;
  }
}

/** A file of a session with its paths rewritten: a transcript line by line, any other as one JSON value. */
export function* mappedFile(path: string, map: PathMap): Generator<Buffer> {
  if (path.endsWith(".json")) yield mappedNote(path, map);
  else yield* mappedLines(path, map);
}

/** A file that is one JSON value. */
export function mappedNote(path: string, map: PathMap): Buffer {
  const whole = readFileSync(path);
  const mapped = map.rewrite(whole);
  map.count(whole, mapped);
  return mapped;
}

function* mappedLines(path: string, map: PathMap): Generator<Buffer> {
  yield* mapLines(path, Number.POSITIVE_INFINITY, (line) => {
    const records = parseLine(line, { abridge: true });
    const edited = editLine(line, records, (bytes, { kind }) => (kind === "broken" ? bytes : map.rewrite(bytes)));
    for (const whole of edited) map.count(line.bytes.subarray(line.start, line.end), whole.subarray(0, -1));
    return edited;
  });
}
