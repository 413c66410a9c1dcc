import { isIP } from "node:net";
import { hostname } from "node:os";

export const LOOPBACK = "127.0.0.1";
const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

export function isLoopback(host: string): boolean {
  return ["127.0.0.1", "localhost", "::1"].includes(host);
}

/** The host name in an address that this machine can open, for a server that listens on `host`. */
export function reachableName(host: string): string {
  if (host === "0.0.0.0" || host === "::") return LOOPBACK;
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * Whether a Host header names this server. Protects against DNS rebinding: a foreign domain that resolves to this machine
 * keeps its own name in the header. On loopback only loopback names are allowed; elsewhere also any IP address and the
 * name of the host.
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
