import { numberAt, stringAt, tryParseJson } from "../../format/json.js";
import { mayExist } from "../../format/layout/folder-listing.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { historyPath, readHistory, splitHistory, withLinesByTime } from "./prompt-history.js";
import { rewriteFile } from "./rewrite-file.js";

/** Adds lines in the order of time; of a prompt that is there already, however it is told, nothing is added. */
export function addPrompts(configRoot: string, lines: readonly Buffer[]): void {
  const path = historyPath(configRoot);
  const known = new Set(splitHistory(readHistory(configRoot)).map(momentOf));
  const missing = lines.filter((line) => !known.has(momentOf(line)));
  if (missing.length === 0) return;
  if (mayExist(path)) rewriteFile(path, (bytes) => withLinesByTime(bytes, missing));
  else atomicWrite(path, Buffer.concat(missing));
}

function momentOf(line: Buffer): string {
  const json = tryParseJson(line.toString("utf8"));
  return `${stringAt(json, "sessionId")} ${numberAt(json, "timestamp")}`;
}
