import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { parseLine } from "../format/parse-line.js";
import { readChunks } from "../format/record-reader.js";
import { atomicWrite, atomicWriteChunks } from "../store/atomic-write.js";
import type { EditPlan } from "./edit-plan.js";
import { editLine, mapLines } from "./map-lines.js";
import type { RewriteRecord } from "./rewrite-record.js";
import type { SideFile } from "./side-files.js";

/** Sub-agents get new ids as the session does, the title is the new one, everything else is copied. */
export async function copySideFile(
  file: SideFile,
  path: string,
  { cleaning, title }: EditPlan,
  rewrite: RewriteRecord,
): Promise<void> {
  const options = { overwrite: false };
  if (file.kind === "subagent") return atomicWriteChunks(path, rewrittenLines(file.path, rewrite), options);
  if (file.kind === "title" && title !== null)
    return atomicWrite(path, JSON.stringify({ customTitle: title }), options);
  if (!cleaning) return atomicWriteChunks(path, readChunks(file.path), options);
  const bytes = readFileSync(file.path);
  // In what is no text nothing can be found, so it stays behind.
  if (isUtf8(bytes)) atomicWrite(path, cleaning.clean(bytes.toString("utf8"), "side file"), options);
}

function rewrittenLines(path: string, rewrite: RewriteRecord): Generator<Buffer> {
  return mapLines(path, Number.POSITIVE_INFINITY, (line) =>
    editLine(line, parseLine(line, { abridge: true }), rewrite),
  );
}
