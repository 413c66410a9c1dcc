import { type Line, parseLine } from "../../format/reader/parse-line.js";
import { LineSplitter } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import { linkNodes } from "../graph/link-nodes.js";
import {
  checkCalls,
  checkGraph,
  checkPreserved,
  checkSidechain,
  checkStart,
  checkTimes,
  createLeafCheck,
} from "./check-graph.js";
import {
  checkBytes,
  checkContent,
  checkRecord,
  createFolderCheck,
  createMessageChecks,
  createNodeCollector,
} from "./check-records.js";
import { createProblemLog, type Problem, type UnlistedProblems } from "./problem-log.js";

export interface VerifyReport {
  readonly ok: boolean; // no problem is an error
  readonly problems: readonly Problem[]; // by line
  /** How many more there are of the kinds that are listed only in part. */
  readonly unlisted: readonly UnlistedProblems[];
}

export interface Verifier {
  /** Lines in file order; their bytes are not kept. */
  addLine(line: Line): void;
  finish(): VerifyReport;
}

/** Takes all bytes of a session file, in chunks of any size; `folder` is the name of its project folder, if it is in one. */
export function verifySession(chunks: Iterable<Uint8Array>, fileName: string, folder?: string): VerifyReport {
  const verifier = createVerifier(fileName, folder);
  const splitter = new LineSplitter((line) => verifier.addLine(line));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  splitter.end();
  return verifier.finish();
}

/** For a caller with its own loop over the lines. Keeps the nodes of the conversation, not its content. */
export function createVerifier(fileName: string, folder?: string): Verifier {
  const name = parseName(fileName);
  const log = createProblemLog();
  const collector = createNodeCollector(log);
  const messages = createMessageChecks(log);
  const leaf = createLeafCheck(log);
  const home = createFolderCheck(folder, log);
  let isEmpty = true;

  function addLine(line: Line): void {
    checkBytes(line, log);
    const records = parseLine(line);
    if (records.length > 1) log.add("glued-line", line.number, records.length);
    if (!line.isTerminated && records.at(-1)?.kind !== "broken") log.add("no-final-newline", line.number);
    if (records.length > 0) isEmpty = false;
    for (const record of records) addRecord(record, line);
  }

  function addRecord(record: LogRecord, line: Line): void {
    checkRecord(record, name.sessionId, log);
    leaf.add(record);
    home.add(record);
    if (!collector.add(record, line)) return;
    messages.add(record);
    if ((record.kind === "user" || record.kind === "assistant") && !record.isAbridged) checkContent(record, log);
  }

  function finish(): VerifyReport {
    if (isEmpty) log.add("empty-file", 0);
    home.finish();
    if (name.kind === "other") log.add("not-uuid-name", 0, fileName);
    const { nodes } = collector;
    const links = linkNodes(nodes);
    checkGraph(nodes, links, log);
    if (name.kind !== "agent") checkSidechain(nodes, log);
    checkCalls(nodes, links, log);
    checkPreserved(nodes, links, log);
    checkTimes(nodes, links, log);
    messages.finish();
    const end = leaf.finish(nodes, links);
    if (name.kind !== "agent" && !isEmpty) checkStart(nodes, links, end, log);
    const { problems, unlisted } = log.list();
    return { ok: problems.every(({ severity }) => severity !== "error"), problems, unlisted };
  }

  return { addLine, finish };
}

interface SessionFileName {
  readonly kind: "session" | "agent" | "other";
  /** An agent's records carry the id of the session that called it, not the one of their file. */
  readonly sessionId: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function parseName(fileName: string): SessionFileName {
  const id = fileName.replace(/\.jsonl$/, "");
  if (UUID.test(id)) return { kind: "session", sessionId: id };
  return { kind: /^agent-./.test(id) ? "agent" : "other", sessionId: undefined };
}
