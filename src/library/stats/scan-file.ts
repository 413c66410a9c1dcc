import { closeSync, openSync, readSync } from "node:fs";
import { parseLine } from "../../format/reader/parse-line.js";
import { MAX_WHOLE_LINE_BYTES } from "../../format/reader/record-reader.js";
import { CUT_NOTE } from "../../format/record/record.js";
import { countOnce, isCountedMessage, type MessageOutline } from "../../session/messages/message.js";
import { type MessageScan, scanMessages } from "../../session/messages/scan-messages.js";
import { type CountedMessage, toCounted } from "../../session/number-rows.js";

/** What a file spent, and on which project; nothing else of it is understood. */
export interface ScannedFile {
  readonly project: string | null;
  /** What was spent on a rewound branch is not told apart. */
  readonly messages: readonly CountedMessage[];
}

/**
 * The same as reading the session, at the speed of looking for a word: only lines of API messages are looked at. Undefined for
 * a file with anything in it that this cannot judge: it has to be read as a session.
 */
export function scanFile(path: string, isAgent: boolean): ScannedFile | undefined {
  const scan = scanMessages();
  const head = createHead();
  if (!scanLines(path, scan, head) || isUnclear(path, scan, isAgent)) return undefined;
  return { project: head.project() ?? null, messages: countMessages(scan, isAgent) };
}

/** The API messages of a file, each once; undefined as with `scanFile`. */
export function scanOutlines(path: string, isAgent: boolean): FileOutlines | undefined {
  const scan = scanMessages();
  const head = createHead();
  if (!scanLines(path, scan, head) || isUnclear(path, scan, isAgent)) return undefined;
  return { project: head.project() ?? null, messages: countOnce(scan.messages.values()).filter(isCountedMessage) };
}

export interface FileOutlines extends Pick<ScannedFile, "project"> {
  readonly messages: readonly MessageOutline[];
}

/** The API messages in the complete lines from an offset on, which is the start of a line; undefined as with `scanFile`. */
export function scanAppended(path: string, from: number, isAgent: boolean): AppendedOutlines | undefined {
  const scan = scanMessages();
  let end = from;
  for (const lines of readLines(path, from)) {
    const complete = lines?.subarray(0, lines.lastIndexOf(LF) + 1);
    if (!complete || (isAgent && FORK_STARTS.some((text) => complete.includes(text)))) return undefined;
    if (!addMessages(complete, scan)) return undefined;
    end += complete.length;
  }
  return { end, messages: countOnce(scan.messages.values()).filter(isCountedMessage) };
}

export interface AppendedOutlines extends Pick<FileOutlines, "messages"> {
  readonly end: number; // of the last complete line
}

/** What a forked sub-agent began with was spent elsewhere. A session with sidechains only is one that was a sub-agent. */
function isUnclear(path: string, { messages, sidechains }: MessageScan, isAgent: boolean): boolean {
  if (sidechains.size === 0) return false;
  return (!isAgent && sidechains.size === messages.size) || holdsAny(path, FORK_STARTS);
}

function countMessages({ messages, sidechains }: MessageScan, isAgent: boolean): CountedMessage[] {
  const inMain = new Set<string>(); // ids
  for (const [key, { id }] of messages) if (!sidechains.has(key)) inMain.add(id ?? key);
  return countOnce(messages.values())
    .filter(isCountedMessage)
    .map((message) => {
      const isOfAgent = isAgent || !inMain.has(message.id ?? message.key);
      return toCounted({ message, part: isOfAgent ? "subagent" : "active" });
    });
}

const LF = 0x0a;
const CHUNK_BYTES = 512 * 1024;

/** In JSON these quotes are not in a text: there they would be escaped. */
const ASSISTANT = Buffer.from('"assistant"');
/** What the model is told when the network cut its answer: the output of that message is unknown. */
const CUT_NOTE_BYTES = Buffer.from(CUT_NOTE);
/** How the own work of a forked sub-agent begins: what is before it was spent elsewhere. */
const FORK_STARTS = [Buffer.from('"Fork started'), Buffer.from('"<fork-boilerplate>')];

/** False where the file has to be read as a session. */
function scanLines(path: string, scan: MessageScan, head: Head): boolean {
  for (const lines of readLines(path)) {
    if (!lines || lines.includes(CUT_NOTE_BYTES)) return false;
    let start = 0;
    while (head.project() === undefined && start < lines.length) start = head.add(lines, start);
    if (!addMessages(lines, scan)) return false;
  }
  return true;
}

function addMessages(lines: Buffer, scan: MessageScan): boolean {
  for (let at = lines.indexOf(ASSISTANT); at >= 0; ) {
    const from = lines.lastIndexOf(LF, at) + 1;
    const end = endOfLine(lines, at);
    if (!scan.add(lines, from, end)) return false;
    at = end < lines.length ? lines.indexOf(ASSISTANT, end) : -1;
  }
  return true;
}

function holdsAny(path: string, texts: readonly Buffer[]): boolean {
  for (const lines of readLines(path)) if (!lines || texts.some((text) => lines.includes(text))) return true;
  return false;
}

let spareBuffer = Buffer.alloc(0);

/** The bytes of a file in pieces of whole lines, in one reused buffer; undefined for a line that is too long for it. */
function* readLines(path: string, start = 0): Generator<Buffer | undefined> {
  const file = openSync(path, "r");
  let buffer = spareBuffer.length > 0 ? spareBuffer : Buffer.allocUnsafe(CHUNK_BYTES);
  spareBuffer = Buffer.alloc(0);
  try {
    let kept = 0;
    for (let position = start; ; ) {
      const read = readSync(file, buffer, kept, buffer.length - kept, position);
      position += read;
      const length = kept + read;
      const end = read === 0 ? length : buffer.lastIndexOf(LF, length - 1) + 1;
      if (end > 0) yield buffer.subarray(0, end);
      if (read === 0) return;
      kept = length - end;
      if (kept > MAX_WHOLE_LINE_BYTES) return yield undefined;
      if (kept === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
      else buffer.copyWithin(0, end, length);
    }
  } finally {
    spareBuffer = buffer.length === CHUNK_BYTES ? buffer : Buffer.alloc(0);
    closeSync(file);
  }
}

function endOfLine(bytes: Buffer, at: number): number {
  const lf = bytes.indexOf(LF, at);
  return lf < 0 ? bytes.length : lf;
}

/** The first lines of a file, up to the one that says in which folder the session works. */
interface Head {
  project(): string | undefined;
  /** The line at `start`; returns where the next one starts. */
  add(bytes: Buffer, start: number): number;
}

function createHead(): Head {
  const uuids = new Set<string>();
  let project: string | undefined;
  return {
    project: () => project,
    add(bytes, start) {
      const end = endOfLine(bytes, start);
      const place = { number: 1, offset: 1, length: end - start, isTerminated: true, isAbridged: false };
      for (const record of parseLine({ bytes, start, end, ...place }, { abridge: true })) {
        if (record.kind === "broken" || (record.uuid !== undefined && uuids.has(record.uuid))) continue;
        if (record.uuid !== undefined) uuids.add(record.uuid);
        if (record.cwd) project ??= record.cwd;
      }
      return end + 1;
    },
  };
}
