import { deflateSync, inflateSync } from "node:zlib";
import { tryParseJson } from "../../format/json.js";
import type { Snapshot } from "../../session/open-session.js";

/** A session that was written to of late will grow again; what reading others again costs is paid once. */
const LIVE_DAYS = 3;
const DAY_MS = 86_400_000;
const FASTEST = 1;

/** What is kept to go on reading a growing session; nothing for one that rests. */
export function packSnapshot(take: () => Snapshot, mtimeMs: number, now: number): Uint8Array | undefined {
  if (now - mtimeMs > LIVE_DAYS * DAY_MS) return undefined;
  return deflateSync(JSON.stringify(take()), { level: FASTEST });
}

export function unpackSnapshot(bytes: Uint8Array | null | undefined): Snapshot | undefined {
  return bytes ? (tryParseJson(inflateSync(bytes).toString()) as Snapshot) : undefined;
}
