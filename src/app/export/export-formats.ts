import { UserError } from "../../errors.js";
import type { TurnRange } from "../../render/show-session.js";

export interface ExportFormat {
  /** The options it takes besides those of every format. */
  readonly options: readonly FormatOption[];
  /** It cannot be written to standard output. */
  readonly needsFile?: true;
}

const READING_OPTIONS: readonly FormatOption[] = ["turns", "branch", "tools", "thinking", "depth"];
const RECORDING_OPTIONS: readonly FormatOption[] = [...READING_OPTIONS, "speed", "maxPause", "columns", "rows"];

const FORMATS = {
  html: { options: [] },
  md: { options: [...READING_OPTIONS, "pictures"] },
  cast: { options: RECORDING_OPTIONS },
  mp4: { options: RECORDING_OPTIONS, needsFile: true },
  gif: { options: RECORDING_OPTIONS, needsFile: true },
  jsonl: { options: [] },
  json: { options: [] },
  api: { options: [] },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type FormatName = keyof typeof FORMATS;

export const EXPORT_FORMATS = Object.keys(FORMATS) as readonly FormatName[];

export function parseFormat(name: string): FormatName {
  const format = EXPORT_FORMATS.find((known) => known === name);
  if (format) return format;
  throw new UserError("usage", `unknown format: ${name}`, `the formats are ${EXPORT_FORMATS.join(", ")}`);
}

export function describeFormat(name: FormatName): ExportFormat {
  return FORMATS[name];
}

export function formatsWith(option: FormatOption): FormatName[] {
  return EXPORT_FORMATS.filter((name) => describeFormat(name).options.includes(option));
}

/** What some formats can be asked for. The format decides about what is left out. */
export interface FormatOptions {
  readonly turns?: TurnRange;
  readonly branch?: string;
  readonly tools?: "full" | "brief" | "none";
  readonly thinking: boolean;
  readonly pictures?: "named" | "embedded" | "none";
  readonly depth?: number;
  readonly speed?: number;
  readonly maxPause?: number; // seconds
  readonly columns?: number;
  readonly rows?: number;
}

export type FormatOption = keyof FormatOptions;
