import { parentPort } from "node:worker_threads";
import { type EntryTask, runEntryThread } from "./read-entries.js";

/** The file that a thread runs which reads sessions for the catalog. */
parentPort?.once("message", (task: EntryTask) => runEntryThread(task, (posted) => parentPort?.postMessage(posted)));
