import type { Command } from "commander";
import { UserError } from "../errors.js";
import { parseMoment, type SessionFilter } from "../library/session-filter.js";

export interface FilterOptions {
  readonly project?: string;
  readonly since?: string;
  readonly until?: string;
  readonly model?: string;
  readonly gitBranch?: string;
  readonly errors?: boolean;
  readonly tool?: string;
  readonly tag?: readonly string[];
  readonly favourites?: boolean;
  readonly source?: string;
  readonly limit?: string;
}

/** The filters that every command over many sessions has. */
export function addFilterOptions(command: Command): Command {
  return command
    .option("--project <path>", "sessions of a project: its path, or a part of it")
    .option("--since <time>", "active since then: 7d, 12h, yesterday, 2026-05-01")
    .option("--until <time>", "started before then")
    .option("--model <name>", "sessions in which a model with this in its name answered")
    .option("--git-branch <name>", "sessions that ended on this git branch")
    .option("--errors", "sessions with failed tool calls or API errors")
    .option("--tool <name>", "sessions that used this tool")
    .option("--tag <tag>", "sessions with this tag of yours; several: with all of them", collect)
    .option("--favourites", "your favourites")
    .option("--source <name>", "sessions of a source (`turnlog source list`)")
    .option("--limit <n>", "at most so many");
}

export function toFilter({ since, until, limit, ...rest }: FilterOptions): SessionFilter {
  const { project, model, gitBranch, errors, tool, tag, favourites, source } = rest;
  return {
    ...(project === undefined ? {} : { project }),
    ...(model === undefined ? {} : { model }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(errors === undefined ? {} : { errors }),
    ...(tool === undefined ? {} : { tool }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(favourites === undefined ? {} : { favourites }),
    ...(source === undefined ? {} : { source }),
    ...(since === undefined ? {} : { since: parseMoment(since) }),
    ...(until === undefined ? {} : { until: parseMoment(until) }),
    ...(limit === undefined ? {} : { limit: parseCount(limit, "--limit") }),
  };
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function parseCount(text: string, option: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UserError("usage", `${option} wants a number above 0, not "${text}"`, `for example ${option} 20`);
}
