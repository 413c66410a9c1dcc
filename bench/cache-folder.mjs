import { resolve } from "node:path";

/** Generated libraries and peers: gigabytes, so TURNLOG_BENCH_CACHE may point at another disk. */
export function cacheFolder() {
  return process.env["TURNLOG_BENCH_CACHE"] ?? resolve(import.meta.dirname, "../node_modules/.cache/turnlog");
}
