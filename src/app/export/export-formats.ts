import { UserError } from "../../errors.js";
import type { FormatOption } from "./export-options.js";

export interface ExportFormat {
  /** What it can be asked for, beside what every format takes. */
  readonly options: readonly FormatOption[];
  /** No terminal shows it, and no pipe carries it. */
  readonly needsFile?: true;
}

const READING_OPTIONS: readonly FormatOption[] = ["turns", "branch", "tools", "thinking", "depth"];
const RECORDING_OPTIONS: readonly FormatOption[] = [...READING_OPTIONS, "speed", "maxPause", "columns", "rows"];

const FORMATS = {
  html: { options: [] },
  md: { options: READING_OPTIONS },
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
