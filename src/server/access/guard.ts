import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { failure } from "../http/send-answer.js";
import { isAllowedHost } from "./allowed-hosts.js";
import type { AccessTokens } from "./tokens.js";

export interface GuardOptions {
  readonly access: AccessTokens;
  readonly host: string;
  /** 0 until the server listens. */
  port(): number;
  readonly limits?: RequestLimits;
}

export interface RequestLimits {
  readonly burst: number;
  readonly perSecond: number;
}

export const TOKEN_HEADER = "x-turnlog-token";
const DEFAULT_LIMITS: RequestLimits = { burst: 400, perSecond: 100 };

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Sets the security headers on every answer, errors included. */
export const harden: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
};

/** Refuses requests that come neither from the web UI nor from a program with the token. */
export function guard({ access, host, port, limits = DEFAULT_LIMITS }: GuardOptions): MiddlewareHandler {
  const requests = createRateLimit(limits);
  return async (c, next) => {
    if (!isAllowedHost(c.req.header("host"), host, port())) {
      return failure(c, 421, "host", "unrecognized Host header", "use the address that turnlog printed");
    }
    if (isForeign(c)) return failure(c, 403, "foreign", "requests from other sites are refused"); // before the rate limit, so that it cannot use that up
    if (!requests.take(clientOf(c))) return failure(c, 429, "rate", "too many requests", "wait a moment");
    const isChange = c.req.method !== "GET";
    if (isChange && c.req.method !== "POST") return failure(c, 405, "method", `method not allowed: ${c.req.method}`);
    if (!needsAccess(c)) return next();
    if (!hasAccess(c, access, port())) {
      return failure(c, 401, "token", "the token is missing or wrong", "open the address that turnlog printed");
    }
    if (isChange && !isChangeAllowed(c, access)) {
      return failure(c, 403, "token", `missing or wrong header ${TOKEN_HEADER}`, "GET /api/start returns its value");
    }
    return next();
  };
}

/** Exchanges the token in an address for a cookie, and redirects to the address without it. */
export function admit({ access, port }: Pick<GuardOptions, "access" | "port">): MiddlewareHandler {
  return async (c, next) => {
    const token = c.req.query("token");
    if (token === undefined || c.req.method !== "GET" || c.req.path.startsWith("/api/")) return next();
    if (!access.isToken(token)) {
      return failure(
        c,
        401,
        "token",
        "this address is from an earlier start of turnlog",
        "open the address that turnlog printed",
      );
    }
    setAccessCookie(c, access, port());
    const url = new URL(c.req.url);
    url.searchParams.delete("token");
    return moveOn(c, `/${url.pathname.replace(/^[/\\]+/, "")}${url.search}`);
  };
}

export function setAccessCookie(c: Context, access: AccessTokens, port: number): void {
  setCookie(c, cookieName(port), access.cookie, { httpOnly: true, sameSite: "Strict", path: "/" });
}

/** A browser sends no strict cookie after a link from another site, not even after a redirect; a refreshing page does. */
function moveOn(c: Context, target: string): Response {
  c.header("cache-control", "no-store");
  if (!["cross-site", "same-site"].includes(c.req.header("sec-fetch-site") ?? "")) return c.redirect(target, 303);
  const address = target.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return c.html(`<!doctype html><meta http-equiv="refresh" content="0;url=${address}"><title>turnlog</title>`);
}

/** Cookies ignore ports, so two servers on one machine need different names. */
function cookieName(port: number): string {
  return `turnlog-${port}`;
}

export function hasAccess(c: Context, access: AccessTokens, port: number): boolean {
  return access.isCookie(getCookie(c, cookieName(port))) || access.isToken(c.req.header(TOKEN_HEADER));
}

/** A program has the token itself; the web UI has the change token, which no other site can read. */
function isChangeAllowed(c: Context, access: AccessTokens): boolean {
  const header = c.req.header(TOKEN_HEADER);
  return access.isChangeToken(header) || access.isToken(header);
}

/** Only the API holds data; the files of the web UI are public. */
function needsAccess(c: Context): boolean {
  return c.req.path === "/api" || c.req.path.startsWith("/api/");
}

/** Whether a browser reports another site as the origin. Links from other sites may open the web UI, nothing else. */
function isForeign(c: Context): boolean {
  const origin = c.req.header("origin");
  if (origin !== undefined && origin !== `http://${c.req.header("host")}`) return true;
  const site = c.req.header("sec-fetch-site") ?? "same-origin";
  if (site === "same-origin" || site === "none") return false;
  return needsAccess(c) || c.req.method !== "GET" || c.req.header("sec-fetch-mode") !== "navigate";
}

/** The address of the client; tests have no connection. */
export function clientOf(c: Context): string {
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress ?? "here";
}

export interface RateLimit {
  /** Whether one more request is allowed now; counts it if so. */
  take(who: string): boolean;
  /** Whether `take` would allow one. */
  has(who: string): boolean;
}

export interface RateOptions {
  readonly burst: number;
  readonly perSecond: number;
  readonly now?: () => number; // ms
}

interface Bucket {
  readonly left: number;
  readonly at: number;
}

const MAX_KNOWN = 1000;

/** A token bucket per client: `burst` at once, then `perSecond`. */
export function createRateLimit({ burst, perSecond, now = () => performance.now() }: RateOptions): RateLimit {
  const buckets = new Map<string, Bucket>();

  function look(who: string): Bucket {
    const at = now();
    const bucket = buckets.get(who) ?? { left: burst, at };
    return { left: Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perSecond), at };
  }

  return {
    has: (who) => look(who).left >= 1,
    take(who) {
      const { left, at } = look(who);
      if (buckets.size >= MAX_KNOWN && !buckets.has(who)) buckets.clear();
      buckets.set(who, { left: left >= 1 ? left - 1 : left, at });
      return left >= 1;
    },
  };
}
