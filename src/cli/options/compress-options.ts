import { type Command, Option } from "commander";
import type { RedactionOptions } from "../../app/redaction.js";
import type { Band, CompressOptions } from "../../edit/compress/choose-turns.js";
import { UserError } from "../../errors.js";
import { addRedactionOptions } from "./redaction-options.js";

/** The options of `compress` as text. */
export interface CompressFlags extends RedactionOptions {
  readonly band?: readonly Band[];
  readonly keepCalls?: true;
  readonly perTurn?: true;
  readonly summaryTitle?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly parallel: number;
  readonly yes?: true;
}

export function addCompressOptions(command: Command): Command {
  return addRedactionOptions(
    command
      .addOption(
        new Option(
          "--band <part>",
          "summarize these turns, in percent, this way: 0-60:heavy; can be repeated (default: 0-60:heavy 60-85:light)",
        ).argParser(addBand),
      )
      .option("--keep-calls", "keep names and inputs of tool calls, remove their results")
      .option("--per-turn", "summarize each turn in its place instead of all in one summary")
      .option("--summary-title <title>", "also write a summary record with this title")
      .option("--model <name>", "let this model write the summaries; without --yes only prints the cost")
      .option("--base-url <url>", "URL of the API (default: ANTHROPIC_BASE_URL)")
      .addOption(new Option("--parallel <n>", "parallel requests").default(4).argParser(parseParallel))
      .option("--yes", "send the turns to the model"),
  );
}

export function toCompressOptions({ band, keepCalls, perTurn, summaryTitle }: CompressFlags): CompressOptions {
  return { bands: band, keepCalls, perTurn, summaryTitle };
}

function addBand(text: string, before: readonly Band[] = []): readonly Band[] {
  const [, from, to, level] = /^(\d{1,3})-(\d{1,3}):(light|heavy)$/.exec(text) ?? [];
  const band = { from: Number(from), to: Number(to), level: level === "light" ? "light" : "heavy" } as const;
  if (level !== undefined && band.from < band.to && band.to <= 100) return [...before, band];
  throw new UserError("usage", `--band must be a range and a level, not "${text}"`, "for example --band 0-60:heavy");
}

function parseParallel(text: string): number {
  if (/^([1-9]|[1-3]\d)$/.test(text)) return Number(text);
  throw new UserError("usage", `--parallel must be a number from 1 to 39, not "${text}"`, "for example --parallel 4");
}
