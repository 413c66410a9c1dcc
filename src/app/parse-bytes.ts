import { UserError } from "../errors.js";

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** `50MB`, `1.5 GB`, `800k`, `1000`; a kilobyte has 1,000 bytes, as everywhere in turnlog. */
export function parseBytes(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)b?$/i.exec(text.trim());
  if (match) return Number(match[1]) * (UNITS[match[2]?.toLowerCase() ?? ""] ?? 1);
  throw new UserError("usage", `${option} wants a size, not "${text}"`, `for example ${option} 50MB`);
}
