import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { sessionPaths } from "../../../format/layout/session-paths.js";
import { parseLine } from "../../../format/reader/parse-line.js";
import { readChunks } from "../../../format/reader/record-reader.js";
import { rewriteIds } from "../../../format/writer/rewrite-ids.js";
import { atomicWriteChunks } from "../../../store/atomic-write.js";
import { makeFolder } from "../../../store/make-folder.js";
import { derivedUuid } from "../../plans/edit-plan.js";
import { editLine, mapLines } from "../../write/edited-lines.js";
import { HiddenFolder, inLargePieces, publishSession } from "../../write/publish-session.js";
import { mappedNote, PathMap } from "../map-paths.js";
import { type LocalPlace, toBundlePlace, toLocalPlace } from "./bundle-place.js";
import type { BundledFile, BundledSession } from "./manifest.js";
import { refused } from "./manifest.js";
import type { OpenBundle } from "./open-bundle.js";
import { pathOfPlaced, tasksFolder } from "./placed-files.js";
import { travelRecord } from "./travel-records.js";

/** A session of a bundle, and where it is to go. */
export interface Unpacked {
  readonly bundle: OpenBundle;
  readonly session: BundledSession;
  readonly place: LocalPlace;
}

/** How a session of a bundle compares with a file that has its id. */
export type Comparison = "same" | "continued" | "other";

/** The id that a session gets where another one has its own: the same each time. */
export function otherId({ id, files }: BundledSession): string {
  return derivedUuid(files[0]?.sha256 ?? "", id);
}

/**
 * Writes it with all its files, or nothing. Nothing that is there already is touched. Typed prompts are not among them: they
 * stand in a file of all sessions. Returns plans that stay as they are here, by path.
 */
export async function unpackSession(unpacked: Unpacked): Promise<string[]> {
  const { session, place, bundle } = unpacked;
  const { id, projectDir, sideDir, fileHistoryDir } = sessionPaths(place.path);
  const configRoot = toLocalPlace(place).folders["claude"] ?? projectDir;
  const named = (wanted: BundledFile["place"]) => session.files.filter((file) => file.place === wanted);
  const map = mapFor(unpacked);
  makeFolder(projectDir);
  const folders = [
    new HiddenFolder(sideDir, named("side")),
    new HiddenFolder(fileHistoryDir(configRoot), named("backup")),
    new HiddenFolder(tasksFolder(configRoot, id), named("tasks")),
  ];
  const made: string[] = [];
  const kept: string[] = [];
  try {
    for (const file of session.files.filter(isSingle)) {
      const path = pathOfPlaced(configRoot, id, file);
      const content = Buffer.concat([...contentOf(file, bundle.pathOf(file), unpacked, map)]);
      if (existsSync(path)) {
        if (!readFileSync(path).equals(content)) kept.push(path);
        continue;
      }
      makeFolder(dirname(path));
      await atomicWriteChunks(path, [content], { overwrite: false });
      made.push(path);
    }
    for (const folder of folders) {
      await folder.fill(async (file, path) => {
        await atomicWriteChunks(path, contentOf(file, bundle.pathOf(file), unpacked, map), { overwrite: false });
      });
    }
    await publishSession(place.path, inLargePieces(transcriptOf(unpacked, map)), folders);
    return kept;
  } catch (error) {
    for (const folder of folders) folder.remove();
    for (const path of made) rmSync(path, { force: true });
    throw error;
  }
}

/** Of files in a folder that many sessions share. */
function isSingle(file: BundledFile): file is BundledFile & { readonly place: "todos" | "plan" } {
  return file.place === "todos" || file.place === "plan";
}

/** Whether a transcript on this machine is what would be written there, perhaps with more at its end. */
export function compareSession(unpacked: Unpacked): Comparison {
  const file = openSync(unpacked.place.path, "r");
  try {
    for (const piece of inLargePieces(transcriptOf(unpacked, mapFor(unpacked)))) {
      const there = Buffer.alloc(piece.length);
      let length = 0;
      for (let read = -1; read !== 0 && length < piece.length; length += read)
        read = readSync(file, there, length, piece.length - length, null);
      if (!there.equals(piece)) return "other";
    }
    return readSync(file, Buffer.alloc(1)) === 0 ? "same" : "continued";
  } finally {
    closeSync(file);
  }
}

function mapFor({ session, place }: Unpacked): PathMap {
  return new PathMap(toBundlePlace(session.id, session.project.isWindows), toLocalPlace(place));
}

function transcriptOf(unpacked: Unpacked, map: PathMap): Generator<Buffer> {
  const [file] = unpacked.session.files;
  if (!file) throw refused("a session has no transcript");
  return recordLines(unpacked.bundle.pathOf(file), unpacked, map);
}

/** What a hostile bundle may hold and an honest one does not is left out here, too. */
function recordLines(path: string, { session, place }: Unpacked, map: PathMap): Generator<Buffer> {
  const { id } = sessionPaths(place.path);
  const ids = {
    source: session.id,
    session: id,
    marksOrigin: false,
    of: (uuid: string) => uuid,
    survivor: (uuid: string) => uuid,
    parent: () => undefined,
  };
  return mapLines(path, Number.POSITIVE_INFINITY, (line) =>
    editLine(line, parseLine(line, { abridge: true }), (bytes, record) => {
      if (record.kind === "broken") return bytes;
      const travelling = travelRecord(bytes, record.type);
      if (!travelling) return undefined;
      const mapped = map.rewrite(travelling);
      return id === session.id ? mapped : rewriteIds(mapped, ids);
    }),
  );
}

function contentOf({ place, name }: BundledFile, path: string, unpacked: Unpacked, map: PathMap): Iterable<Uint8Array> {
  if (place === "backup" || name.startsWith("tool-results/")) return readChunks(path);
  if (name.endsWith(".jsonl")) return recordLines(path, unpacked, map);
  return name.endsWith(".json") ? [mappedNote(path, map)] : readChunks(path);
}
