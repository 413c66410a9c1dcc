import type { Command } from "commander";
import { parseTurnRange } from "../../app/choose-view.js";
import { type FormatOption, type FormatOptions, formatsWith } from "../../app/export/export-formats.js";
import { UserError } from "../../errors.js";
import { parseTools } from "./show-options.js";

/** The options that only some formats take, as text. */
export interface FormatFlags {
  readonly turns?: string;
  readonly branch?: string;
  readonly tools?: string;
  readonly thinking: boolean;
  readonly pictures?: string;
  readonly depth?: string;
  readonly speed?: string;
  readonly maxPause?: string;
  readonly columns?: string;
  readonly rows?: string;
}

const FLAGS: Readonly<Record<FormatOption, readonly [flags: string, help: string]>> = {
  turns: ["--turns <range>", "only these turns: 3, 3-7, 3-, -7"],
  branch: ["--branch <leaf>", "a rewound branch, by the id of its last message, or `all`"],
  tools: ["--tools <how>", "tool calls: full, brief or none (default: full in md, else brief)"],
  thinking: ["--no-thinking", "leave out the model's thinking"],
  pictures: ["--pictures <how>", "pictures of the session: named, embedded or none (default: named)"],
  depth: ["--depth <levels>", "levels of sub-agents to include (default: all; 0: none)"],
  speed: ["--speed <factor>", "playback speed (default: at most 3 minutes in total)"],
  maxPause: ["--max-pause <seconds>", "shorten longer pauses to this, before --speed (default: 2)"],
  columns: ["--columns <count>", "width of the recorded terminal (default: 100)"],
  rows: ["--rows <count>", "height of the recorded terminal (default: 30)"],
};

export const FORMAT_OPTIONS = Object.keys(FLAGS) as FormatOption[];

/** The help lists the formats that take an option. */
export function addFormatOptions(command: Command): Command {
  for (const option of FORMAT_OPTIONS) {
    const [flags, help] = FLAGS[option];
    command.option(flags, `${help} [${formatsWith(option).join(", ")}]`);
  }
  return command;
}

/** An option without effect is a misunderstanding. */
export function rejectOtherOptions(command: Command, format: string, taken: readonly FormatOption[]): void {
  const unused = FORMAT_OPTIONS.find(
    (option) => !taken.includes(option) && command.getOptionValueSource(option) === "cli",
  );
  if (unused === undefined) return;
  const own = taken.map(flagOf).join(", ");
  throw new UserError(
    "usage",
    `${flagOf(unused)} cannot be used with --format ${format}`,
    own === "" ? `remove it: ${format} always contains the whole session` : `${format} takes ${own}`,
  );
}

function flagOf(option: FormatOption): string {
  return FLAGS[option][0].split(" ")[0] ?? "";
}

export function parseFormatFlags(flags: FormatFlags): FormatOptions {
  const { turns, branch, tools, thinking, pictures, depth, speed, maxPause, columns, rows } = flags;
  return {
    thinking,
    ...(turns === undefined ? {} : { turns: parseTurnRange(turns) }),
    ...(branch === undefined ? {} : { branch }),
    ...(tools === undefined ? {} : { tools: parseTools(tools) }),
    ...(pictures === undefined ? {} : { pictures: parsePictures(pictures) }),
    ...(depth === undefined ? {} : { depth: parseNumber("--depth", depth, { min: 0, max: 1000, isWhole: true }) }),
    ...(speed === undefined ? {} : { speed: parseNumber("--speed", speed, { min: 0.01, max: 10_000 }) }),
    ...(maxPause === undefined ? {} : { maxPause: parseNumber("--max-pause", maxPause, { min: 0, max: 86_400 }) }),
    ...(columns === undefined
      ? {}
      : { columns: parseNumber("--columns", columns, { min: 40, max: 300, isWhole: true }) }),
    ...(rows === undefined ? {} : { rows: parseNumber("--rows", rows, { min: 5, max: 100, isWhole: true }) }),
  };
}

function parsePictures(text: string): NonNullable<FormatOptions["pictures"]> {
  if (text === "named" || text === "embedded" || text === "none") return text;
  throw new UserError(
    "usage",
    `--pictures must be named, embedded or none, not "${text}"`,
    "for example --pictures embedded",
  );
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: true;
}

function parseNumber(flag: string, text: string, { min, max, isWhole }: Bounds): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? "a whole number" : "a number";
  throw new UserError(
    "usage",
    `${flag} must be ${kind} from ${min} to ${max}, not "${text}"`,
    `for example ${flag} ${Math.max(min, 1)}`,
  );
}
