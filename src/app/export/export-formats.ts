import type { Command } from "commander";
import { UserError } from "../../errors.js";
import { parseTools } from "../show-options.js";

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

/** What some formats can be asked for, as it was typed. */
export interface TypedOptions {
  readonly turns?: string;
  readonly branch?: string;
  readonly tools?: string;
  readonly thinking: boolean;
  readonly depth?: string;
  readonly speed?: string;
  readonly maxPause?: string;
  readonly columns?: string;
  readonly rows?: string;
}

type FormatOption = keyof TypedOptions;

/** The same, understood; what was not given is decided by the format. */
export interface FormatOptions {
  readonly turns?: string;
  readonly branch?: string;
  readonly tools?: "full" | "brief" | "none";
  readonly thinking: boolean;
  readonly depth?: number;
  readonly speed?: number;
  readonly maxPause?: number; // seconds
  readonly columns?: number;
  readonly rows?: number;
}

const FLAGS: Readonly<Record<FormatOption, readonly [flags: string, says: string]>> = {
  turns: ["--turns <range>", "only these turns: 3, 3-7, 3-, -7"],
  branch: ["--branch <leaf>", "a rewound branch by the id of its last message, or `all`"],
  tools: ["--tools <how>", "tool calls: full, brief or none"],
  thinking: ["--no-thinking", "without the model's thinking"],
  depth: ["--depth <levels>", "how deep sub-agents are told; 0 for none"],
  speed: ["--speed <factor>", "how much faster than life it plays"],
  maxPause: ["--max-pause <seconds>", "longer pauses are cut to this, before --speed"],
  columns: ["--columns <count>", "width of the recorded terminal"],
  rows: ["--rows <count>", "height of the recorded terminal"],
};

const OPTIONS = Object.keys(FLAGS) as FormatOption[];

/** The help names the formats that take an option. */
export function addFormatOptions(command: Command, formatsOf: (option: FormatOption) => readonly string[]): Command {
  for (const option of OPTIONS) {
    const [flags, says] = FLAGS[option];
    command.option(flags, `${says} (${formatsOf(option).join(", ")})`);
  }
  return command;
}

/** An option that does nothing is a misunderstanding. */
export function refuseOtherOptions(command: Command, format: string, taken: readonly FormatOption[]): void {
  const idle = OPTIONS.find((option) => !taken.includes(option) && command.getOptionValueSource(option) === "cli");
  if (idle === undefined) return;
  const own = taken.map(flagOf).join(", ");
  throw new UserError(
    "usage",
    `${flagOf(idle)} does not go with --format ${format}`,
    own === "" ? `leave it out: ${format} is always the whole session` : `${format} takes ${own}`,
  );
}

function flagOf(option: FormatOption): string {
  return FLAGS[option][0].split(" ")[0] ?? "";
}

export function parseFormatOptions(typed: TypedOptions): FormatOptions {
  const { tools, depth, speed, maxPause, columns, rows, ...asTyped } = typed;
  return {
    ...asTyped,
    ...(tools === undefined ? {} : { tools: parseTools(tools) }),
    ...(depth === undefined ? {} : { depth: parseNumber("--depth", depth, { least: 0, most: 1000, isWhole: true }) }),
    ...(speed === undefined ? {} : { speed: parseNumber("--speed", speed, { least: 0.01, most: 10_000 }) }),
    ...(maxPause === undefined ? {} : { maxPause: parseNumber("--max-pause", maxPause, { least: 0, most: 86_400 }) }),
    ...(columns === undefined
      ? {}
      : { columns: parseNumber("--columns", columns, { least: 40, most: 300, isWhole: true }) }),
    ...(rows === undefined ? {} : { rows: parseNumber("--rows", rows, { least: 5, most: 100, isWhole: true }) }),
  };
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly isWhole?: true;
}

function parseNumber(flag: string, text: string, { least, most, isWhole }: Bounds): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? "a whole number" : "a number";
  throw new UserError(
    "usage",
    `${flag} wants ${kind} from ${least} to ${most}, not "${text}"`,
    `for example ${flag} ${Math.max(least, 1)}`,
  );
}
