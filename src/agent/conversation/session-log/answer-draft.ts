import { randomBytes } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isFileError, readIfReadable } from "../../../errors.js";
import { isObject, type JsonObject, stringAt, tryParseJson } from "../../../format/json.js";
import { sessionPaths } from "../../../format/layout/session-paths.js";
import { openAppender } from "../../../format/writer/append.js";
import { ensureDataDir } from "../../../store/data-dir.js";
import { lockSession } from "../../../store/lock.js";
import { isDeadTag, ownTag, TAG_PATTERN } from "../../../store/process-identity.js";

/**
 * Claude Code (2.1.326) writes the records of an answer when the answer is complete, so that each has its stop reason and usage. Until
 * then they are kept here, as records of an answer that was cut, for the case that this process is killed.
 */
export class AnswerDraft {
  readonly #path: string;
  #isEmpty = true;

  constructor(
    dataDir: string,
    private readonly target: DraftTarget,
  ) {
    this.#path = join(ensureDataDir(dataDir, "answers"), `${ownTag()}.${randomBytes(4).toString("hex")}.jsonl`);
  }

  add(line: JsonObject): void {
    const lines = this.#isEmpty ? [this.target, line] : [line];
    this.#isEmpty = false;
    ignoringFileErrors(() =>
      appendFileSync(this.#path, lines.map((each) => `${JSON.stringify(each)}\n`).join(""), { mode: 0o600 }),
    );
  }

  /** The records are where they belong. */
  drop(): void {
    if (!this.#isEmpty) ignoringFileErrors(() => rmSync(this.#path, { force: true }));
    this.#isEmpty = true;
  }
}

/** Where the records belong, and the record that they follow. */
interface DraftTarget {
  readonly path: string;
  readonly parentUuid: string | null;
}

/** Adds to their sessions the records that killed processes kept, unless the conversation went on without them. */
export async function recoverDrafts(dataDir: string): Promise<void> {
  const folder = ensureDataDir(dataDir, "answers");
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const tag = TAG_PATTERN.exec(name)?.[0];
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (tag === undefined || since === undefined || !isDeadTag(tag, since)) continue;
    const [target, ...lines] = (readIfReadable(path) ?? "").split("\n").map(tryParseJson).filter(isObject);
    if (await recover(dataDir, target, lines)) rmSync(path, { force: true });
  }
}

/** False: the session is open in another process; later. */
async function recover(
  dataDir: string,
  target: JsonObject | undefined,
  lines: readonly JsonObject[],
): Promise<boolean> {
  const path = stringAt(target, "path");
  if (path === undefined || !statSync(path, { throwIfNoEntry: false })?.isFile()) return true;
  const lock = lockSession(dataDir, sessionPaths(path).id);
  if (!lock) return false;
  try {
    const chain = [target?.["parentUuid"], ...lines.map((line) => line["uuid"])];
    const last = chain.indexOf(lastNode(path));
    if (last === -1) return true;
    const appender = openAppender(path);
    for (const line of lines.slice(last)) await appender.append(line);
    await appender.close();
    return true;
  } finally {
    lock.release();
  }
}

const TAIL_BYTES = 4 * 1024 * 1024;

/** The uuid of the last record of the conversation, however long its line is. */
function lastNode(path: string): string | undefined {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    for (let length = Math.min(size, TAIL_BYTES); ; length = Math.min(size, 4 * length)) {
      const bytes = Buffer.alloc(length);
      readSync(file, bytes, 0, length, size - length);
      const records = bytes.toString("utf8").split("\n").map(tryParseJson).filter(isObject);
      const nodes = records.filter((record) => typeof record["uuid"] === "string" && record["type"] !== "progress");
      if (nodes.length > 0 || length === size) return stringAt(nodes.at(-1), "uuid");
    }
  } finally {
    closeSync(file);
  }
}

/** Without a draft the answer is recorded all the same. */
function ignoringFileErrors(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}
