import { isIP } from "node:net";
import { hostname } from "node:os";

export const LOOPBACK = "127.0.0.1";
const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

export function isLoopback(host: string): boolean {
  return ["127.0.0.1", "localhost", "::1"].includes(host);
}

/** By which name this machine itself reaches a server that listens there. */
export function reachableName(host: string): string {
  if (host === "0.0.0.0" || host === "::") return LOOPBACK;
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * Whether a Host header names this server. A page of somebody else may make its own name lead to this machine; the name
 * stays in the header. On loopback only its names are right; elsewhere any address, as those need no name, and the host's own.
 */
export function isAllowedHost(header: string | undefined, host: string, port: number): boolean {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:/@\s]+)(?::(\d{1,5}))?$/.exec(header ?? "");
  if (!match) return false;
  const name = (match[1] ?? "").toLowerCase();
  if (Number(match[2] ?? 80) !== port) return false;
  if (LOOPBACK_NAMES.includes(name)) return true;
  if (isLoopback(host)) return false;
  return isIP(name.replace(/^\[|\]$/g, "")) !== 0 || name === host.toLowerCase() || name === hostname().toLowerCase();
}
