import { rmSync } from "node:fs";
import { join } from "node:path";
import { readIfPresent, UserError } from "../../errors.js";
import { tryParseJson } from "../../format/json.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { holderOf } from "../../store/lock.js";
import { isDead, ownIdentity, type ProcessIdentity } from "../../store/process-identity.js";
import type { Retention } from "../archive/update-archive.js";
import type { StartThread } from "../entries/read-entries.js";
import { INDEX_LOCK, type SyncProgress } from "./sync-index.js";
import { useIndex } from "./use-index.js";

/** How the process that builds the index in the background names its lock. */
const PURPOSE = "indexing in the background";

/** What is committed together: small enough to stop soon, and for searches to find what is done. */
const BATCH_BYTES = 16 * 1024 * 1024;
const BETWEEN_REPORTS_MS = 500;

interface BuildOptions {
  readonly retention?: Retention | undefined;
  readonly startThread?: StartThread;
  /** Stops after the current batch; what is built stays. */
  readonly signal: AbortSignal;
}

/** Brings the index of the roots up to date, first the catalog, then the texts, and leaves notes about its progress. */
export async function buildInBackground(
  dataFolder: string,
  roots: readonly string[],
  { retention, startThread, signal }: BuildOptions,
): Promise<void> {
  const gone = new AbortController();
  const report = createReport(dataFolder, () => gone.abort());
  const stop = AbortSignal.any([signal, gone.signal]);
  const how = { retention, startThread, signal: stop, purpose: PURPOSE, acceptsPartial: true, batchBytes: BATCH_BYTES };
  try {
    await useIndex(dataFolder, roots, { ...how, isRequired: true, onProgress: report.progress }, () => undefined);
  } catch (error) {
    if (!gone.signal.aborted) report.fail(error instanceof Error ? error.message : String(error));
    if (!(error instanceof UserError)) throw error;
    return;
  }
  report.end();
}

/** Why the last process that built the index in the background ended before its work was done; undefined where it did not. */
export function findFailedBuild(dataFolder: string): string | undefined {
  const report = readReport(dataFolder);
  if (report?.failure !== undefined) return report.failure;
  return report?.process && isDead(report.process) ? "the process was killed, or crashed" : undefined;
}

/** To be called when nothing is missing any more. */
export function forgetFailedBuild(dataFolder: string): void {
  if (findFailedBuild(dataFolder) !== undefined) rmSync(reportPath(dataFolder), { force: true });
}

/** A process that builds the index now. */
export interface BackgroundBuild {
  readonly pid: number;
  /** Of the whole work, 0 to 1; null before the first report. */
  readonly share: number | null;
  readonly remainingMs: number | null;
}

/** Before that, the time left is not known. */
const FORESEEABLE_SHARE = 0.02;

/** It is removed when the work is done: one that is left tells that the process failed. */
interface Report {
  readonly pid: number;
  readonly startedAt: number; // ms since the epoch
  readonly share: number;
  readonly process: ProcessIdentity;
  readonly failure?: string;
}

/** The process that builds the index in the background, if there is one. */
export function findBackgroundBuild(dataFolder: string, now = Date.now()): BackgroundBuild | undefined {
  const holder = holderOf(join(dataFolder, "locks", INDEX_LOCK));
  if (holder?.purpose !== PURPOSE) return undefined;
  const report = readReport(dataFolder);
  if (report?.pid !== holder.pid || !report.share) return { pid: holder.pid, share: null, remainingMs: null };
  const { share, startedAt = now } = report;
  const remainingMs = share < FORESEEABLE_SHARE ? null : ((now - startedAt) / share) * (1 - share);
  return { pid: holder.pid, share, remainingMs };
}

/** Asks it to end after its current batch. False where there is none. */
export function stopBackgroundBuild(dataFolder: string): boolean {
  const build = findBackgroundBuild(dataFolder);
  if (build) process.kill(build.pid, "SIGTERM");
  return build !== undefined;
}

/** Texts take four times as long as the catalog. */
const CATALOG_SHARE = 0.2;

interface OwnReport {
  progress(progress: SyncProgress): void;
  fail(reason: string): void;
  end(): void;
}

/** `onGone`: somebody removed the data folder, or its lock, under the process. */
function createReport(dataFolder: string, onGone: () => void): OwnReport {
  const startedAt = Date.now();
  const own = { pid: process.pid, startedAt, process: ownIdentity() };
  const write = (report: Report) => atomicWrite(reportPath(dataFolder), JSON.stringify(report));
  let nextAt = 0;
  const progress: OwnReport["progress"] = ({ phase, bytes, bytesDone }) => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + BETWEEN_REPORTS_MS;
    if (holderOf(join(dataFolder, "locks", INDEX_LOCK))?.pid !== process.pid) {
      onGone();
      return;
    }
    const done = Math.min(1, bytesDone / Math.max(1, bytes));
    const share = phase === "catalog" ? done * CATALOG_SHARE : CATALOG_SHARE + done * (1 - CATALOG_SHARE);
    write({ ...own, share });
  };
  return {
    progress,
    fail(failure) {
      // On a full disk even this may fail; the report of the progress is then left, which tells as much.
      attempt(reportPath(dataFolder), [], () => write({ ...own, share: 0, failure }));
    },
    end() {
      if (readReport(dataFolder)?.pid === process.pid) rmSync(reportPath(dataFolder), { force: true });
    },
  };
}

function readReport(dataFolder: string): Partial<Report> | undefined {
  return tryParseJson(readIfPresent(reportPath(dataFolder)) ?? "") as Partial<Report> | undefined;
}

function reportPath(dataFolder: string): string {
  return join(dataFolder, "locks", "index-progress.json");
}
