import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isObject, toJsonText, tryParseJson } from "../../../format/json.js";
import { sessionPaths } from "../../../format/layout/session-paths.js";
import { parseLine } from "../../../format/reader/parse-line.js";
import { parseRecords, readChunks } from "../../../format/reader/record-reader.js";
import type { LogRecord } from "../../../format/record/record.js";
import { withThinkingReplaced } from "../../../format/writer/change-record.js";
import type { Cleaning } from "../../plans/edit-plan.js";
import { type EditSource, requireUnchanged } from "../../plans/edit-source.js";
import { findPrivateThinking } from "../../plans/plan-redact.js";
import { editLine, mapLines } from "../../write/edited-lines.js";
import { learnSession, redactRecord, redactTextFile } from "../../write/redact-file.js";
import { listSideFiles, type SideFile } from "../../write/side-files.js";
import { mappedNote, PathMap, type RewrittenLines } from "../map-paths.js";
import { type LocalPlace, toBundlePlace, toLocalPlace } from "./bundle-place.js";
import { type BundledFile, isPlacedWell, MAX_SMALL_BYTES, PROMPTS_FILE } from "./manifest.js";
import { listPlacedFiles, type PlacedFile } from "./placed-files.js";
import { travelRecord } from "./travel-records.js";
import { packPrompts, type TypedLines } from "./typed-prompts.js";

/** A session as it is put into a bundle. */
export interface PackSource {
  readonly source: EditSource;
  readonly place: LocalPlace;
  /** Null: nothing is redacted. */
  readonly cleaning: Cleaning | null;
  readonly typed?: TypedLines | undefined;
}

/** A file of a bundle before it is known how large it is. */
export interface PackedFile extends Pick<BundledFile, "place" | "name"> {
  readonly mtimeMs: number;
  content(): Iterable<Uint8Array>;
}

export interface PackedSession {
  readonly files: readonly PackedFile[];
  /** Files that cannot travel, by name: binary ones that cannot be redacted, backups with secrets, names no other system takes. */
  readonly leftOut: readonly string[];
  /** To be asked when all files were read. */
  readonly lines: () => RewrittenLines;
}

const GONE = "[thinking removed: it held something private]";

/** The transcript first, then everything else that belongs to the session and may travel. */
export function packSession(packed: PackSource, isWindows = process.platform === "win32"): PackedSession {
  const { source, place, cleaning } = packed;
  if (cleaning?.learn) learnSession(source.path, cleaning.learn);
  const map = new PathMap(toLocalPlace(place), toBundlePlace(source.id, isWindows));
  const { sideFolder, fileHistory } = listSideFiles(source.path);
  const side = sideFolder.map((file) => ({ ...file, place: "side" as const, name: file.name.replaceAll("\\", "/") }));
  const backups = fileHistory.map((file) => ({ ...file, place: "backup" as const }));
  const leftOut: string[] = [];
  const files: PackedFile[] = [
    {
      place: "transcript",
      name: `${source.id}.jsonl`,
      mtimeMs: statSync(source.path).mtimeMs,
      content: () => transcriptLines(packed, map),
    },
  ];
  for (const file of [...side, ...backups]) {
    const content = isPlacedWell(source.id, file) ? contentOf(file, packed, map) : undefined;
    if (!content) leftOut.push(file.name);
    else files.push({ place: file.place, name: file.name, mtimeMs: statSync(file.path).mtimeMs, content });
  }
  for (const file of listPlacedFiles(source.path, source.id, place, source.outline.facts.slug)) {
    const { size, mtimeMs } = statSync(file.path);
    const isFit = isPlacedWell(source.id, file) && size <= MAX_SMALL_BYTES;
    const content = isFit ? placedContent(file, packed, map) : undefined;
    if (content) files.push({ place: file.place, name: file.name, mtimeMs, content });
    else leftOut.push(file.name);
  }
  const prompts = packed.typed ? Buffer.concat(packPrompts(packed.typed, map, packed.cleaning)) : Buffer.alloc(0);
  if (prompts.length > MAX_SMALL_BYTES) leftOut.push(PROMPTS_FILE);
  else if (prompts.length > 0)
    files.push({
      place: "prompts",
      name: PROMPTS_FILE,
      mtimeMs: statSync(source.path).mtimeMs,
      content: () => [prompts],
    });
  return { files, leftOut, lines: () => map.counts };
}

/** Undefined: the file stays behind. */
function placedContent(
  { path }: PlacedFile,
  { cleaning }: PackSource,
  map: PathMap,
): PackedFile["content"] | undefined {
  const isNote = path.endsWith(".json");
  if (!cleaning) return () => (isNote ? [mappedNote(path, map)] : readChunks(path));
  if (isNote) return () => [Buffer.from(cleanNote(mappedNote(path, map), cleaning))];
  const text = redactTextFile(path, cleaning.clean);
  return text === undefined ? undefined : () => [Buffer.from(text)];
}

function* transcriptLines({ source, cleaning }: PackSource, map: PathMap): Generator<Buffer> {
  const hidden = new Set(cleaning ? findPrivateThinking(source, cleaning).map(({ record }) => record.offset) : []);
  const isHidden = (record: LogRecord) => hidden.has(record.offset);
  yield* packedLines(source.path, source.sizeBytes, map, cleaning, isHidden);
  requireUnchanged(source);
}

function* packedLines(
  path: string,
  sizeBytes: number,
  map: PathMap,
  cleaning: Cleaning | null,
  isHidden: (record: LogRecord) => boolean,
): Generator<Buffer> {
  yield* mapLines(path, sizeBytes, (line) => {
    const records = parseLine(line, { abridge: true });
    return editLine(line, records, (bytes, record) => {
      if (record.kind === "broken") return cleaning ? redactRecord(record, bytes, cleaning.clean) : bytes;
      const seen = isHidden(record) ? withoutThoughts(bytes) : bytes;
      const mapped = map.rewrite(seen);
      map.count(bytes, mapped);
      const travelling = travelRecord(mapped, record.type);
      return travelling && cleaning ? cleanRecord(travelling, cleaning) : travelling;
    });
  });
}

function withoutThoughts(bytes: Buffer): Buffer {
  const answer = tryParseJson(bytes.toString("utf8", bytes.indexOf("{"), bytes.lastIndexOf("}") + 1));
  return isObject(answer) ? Buffer.from(toJsonText(withThinkingReplaced(GONE)(answer)) ?? "") : bytes;
}

function cleanRecord(bytes: Buffer, { clean }: Cleaning): Buffer {
  const [record] = parseRecords(bytes);
  return record ? redactRecord(record, bytes, clean) : bytes;
}

/** Undefined: the file stays behind. */
function contentOf(
  file: SideFile & { readonly place: "side" | "backup" },
  packed: PackSource,
  map: PathMap,
): PackedFile["content"] | undefined {
  const { path, name, kind } = file;
  const { cleaning, source } = packed;
  if (file.place === "backup") return backupContent(path, cleaning);
  const isOutput = dirname(path).startsWith(sessionPaths(source.path).toolResultsDir);
  if (kind === "subagent" || (name.endsWith(".jsonl") && !isOutput))
    return () => packedLines(path, Number.POSITIVE_INFINITY, map, cleaning, agentThinking(cleaning));
  const isNote = name.endsWith(".json") && !isOutput;
  if (!cleaning) return () => (isNote ? [mappedNote(path, map)] : readChunks(path));
  if (isNote) return () => [Buffer.from(cleanNote(mappedNote(path, map), cleaning))];
  const text = redactTextFile(path, cleaning.clean);
  return text === undefined ? undefined : () => [Buffer.from(text)];
}

/** A rewind would write what is in a backup: one that would have to be changed stays behind. */
function backupContent(path: string, cleaning: Cleaning | null): PackedFile["content"] | undefined {
  if (cleaning && redactTextFile(path, cleaning.clean) !== readFileSync(path, "utf8")) return undefined;
  return () => readChunks(path);
}

function cleanNote(bytes: Buffer, { clean }: Cleaning): string {
  const value = tryParseJson(bytes.toString("utf8"));
  return value === undefined ? clean(bytes.toString("utf8"), "side file") : JSON.stringify(clean(value, "side file"));
}

function agentThinking(cleaning: Cleaning | null): (record: LogRecord) => boolean {
  return (record) =>
    cleaning !== null &&
    record.kind === "assistant" &&
    record.blocks.some((block) => block.kind === "thinking" && cleaning.clean(block.text, "thinking") !== block.text);
}
