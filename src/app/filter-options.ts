import { UserError } from "../errors.js";
import { parseMoment, type SessionFilter } from "../library/load/session-summary.js";

/** The filters of every command over many sessions, as a user or a client of the API writes them. */
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

export function parseCount(text: string, option: string, least = 1): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UserError(
    "usage",
    `${option} must be a number above ${least - 1}, not "${text}"`,
    `for example ${option} 20`,
  );
}

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** `50MB`, `1.5 GB`, `800k`, `1000`; a kilobyte has 1,000 bytes, as everywhere in turnlog. */
export function parseBytes(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)b?$/i.exec(text.trim());
  if (match) return Number(match[1]) * (UNITS[match[2]?.toLowerCase() ?? ""] ?? 1);
  throw new UserError("usage", `${option} must be a size, not "${text}"`, `for example ${option} 50MB`);
}
