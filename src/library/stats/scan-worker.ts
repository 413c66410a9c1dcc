import { parentPort } from "node:worker_threads";
import { runScanThread, type ScanTask } from "./scan-threads.js";

/** The file that a scanning thread runs: one task, one answer. */
parentPort?.once("message", (task: ScanTask) =>
  runScanThread(task, (packed, transfer) => parentPort?.postMessage(packed, transfer)),
);
