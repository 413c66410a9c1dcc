import { deflateSync, inflateSync } from "node:zlib";
import type { Cursor } from "../../format/follow-file.js";
import { tryParseJson } from "../../format/json.js";
import type { Snapshot } from "../../session/open-session.js";

/** What had been read of a file up to a place in it. */
export interface KeptSnapshot {
  readonly at: SnapshotPlace;
  readonly state: Snapshot;
}

export type SnapshotPlace = Pick<Cursor, "offset" | "line">;

/** A session that was written to of late will grow again; what reading others again costs is paid once. */
const LIVE_DAYS = 3;
const DAY_MS = 86_400_000;
const FASTEST = 1;
/** What is new since a snapshot is read again as a skeleton, which takes less time than to take a snapshot at every step. */
const STEP_BYTES = 256 * 1024;
const STEP_SHARE = 1 / 8;

export function isLive(mtimeMs: number, now: number): boolean {
  return now - mtimeMs <= LIVE_DAYS * DAY_MS;
}

/** Whether a file that was read up to `offset` has grown enough since its last snapshot. */
export function needsSnapshot(offset: number, lastOffset: number): boolean {
  return offset - lastOffset >= Math.max(STEP_BYTES, offset * STEP_SHARE);
}

export function packSnapshot(kept: KeptSnapshot): Uint8Array {
  return deflateSync(JSON.stringify(kept), { level: FASTEST });
}

export function unpackSnapshot(bytes: Uint8Array | null | undefined): KeptSnapshot | undefined {
  return bytes ? (tryParseJson(inflateSync(bytes).toString()) as KeptSnapshot) : undefined;
}
