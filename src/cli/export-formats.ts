import { UserError } from "../errors.js";
import type { FoundSession } from "../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../library/load-session.js";
import { NO_MARKS } from "../store/user-db.js";
import { apiPieces } from "./api-pieces.js";
import type { Clean } from "./clean.js";
import type { Io } from "./io.js";
import { copyPieces, redactedLinePieces } from "./line-pieces.js";
import { sessionJson } from "./session-json.js";
import { parseTurnRange } from "./show-options.js";

export type Piece = string | Uint8Array;

export interface ExportOrder {
  readonly format: string;
  /** Undefined: nothing is taken out. */
  readonly clean: Clean | undefined;
  readonly settings: LoadOptions;
  /** Where repairs and cuts are told. */
  readonly io: Pick<Io, "stderr">;
}

interface Exported {
  readonly path: string;
  readonly load: () => LoadedSession;
  readonly clean: Clean | undefined;
  readonly io: Pick<Io, "stderr">;
}

const FORMATS: Readonly<Record<string, (exported: Exported) => Iterable<Piece>>> = {
  jsonl: ({ path, clean, io }) => (clean ? redactedLinePieces(path, clean, io) : copyPieces(path)),
  json: ({ load, clean = keep }) =>
    sessionJson(load(), [], { range: parseTurnRange(undefined), clean, withSubagents: true }),
  api: ({ load, clean = keep, io }) => apiPieces(load(), clean, io),
};

export const EXPORT_FORMATS: readonly string[] = Object.keys(FORMATS);

export function refuseUnknownFormat(format: string): void {
  if (Object.hasOwn(FORMATS, format)) return;
  throw new UserError("usage", `unknown format: ${format}`, `the formats are ${EXPORT_FORMATS.join(", ")}`);
}

/** A session as a file, piece by piece, so that none is too large. */
export function exportPieces(found: FoundSession, { format, clean, settings, io }: ExportOrder): Iterable<Piece> {
  refuseUnknownFormat(format);
  const load = () => loadFound(found, { ...settings, marks: titleAlone(found, settings) });
  return FORMATS[format]?.({ path: found.open(), load, clean, io }) ?? [];
}

function keep<Value>(value: Value): Value {
  return value;
}

/** Tags and notes are the person's own; a title is what others are meant to see. */
function titleAlone({ id }: FoundSession, { marks }: LoadOptions): LoadOptions["marks"] {
  return new Map([[id, { ...NO_MARKS, title: marks?.get(id)?.title ?? null }]]);
}
