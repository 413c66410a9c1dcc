import { stringAt } from "../../../format/json.js";
import { parseLine } from "../../../format/reader/parse-line.js";
import { LineSplitter, readChunks } from "../../../format/reader/record-reader.js";
import type { PromptContext } from "../../context/system-prompt.js";

const MARK = Buffer.from('"promptContext"');

/** What the system prompt said when turnlog first recorded a prompt in this session. */
export function readPromptContext(sessionFile: string): PromptContext | undefined {
  const found: PromptContext[] = [];
  const splitter = new LineSplitter((line) => {
    if (found.length > 0 || !line.bytes.subarray(line.start, line.end).includes(MARK)) return;
    for (const record of parseLine(line)) {
      const date = record.kind === "user" ? stringAt(record.raw, "promptContext", "date") : undefined;
      if (record.kind !== "user" || date === undefined) continue;
      found.push({ date, gitSnapshot: stringAt(record.raw, "promptContext", "gitSnapshot") });
    }
  });
  for (const chunk of readChunks(sessionFile)) {
    splitter.push(chunk);
    if (found.length > 0) break;
  }
  if (found.length === 0) splitter.end();
  return found[0];
}
