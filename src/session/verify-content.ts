import type { ContentBlock } from "../format/content-block.js";
import { objectAt, stringAt } from "../format/json.js";
import type { AssistantRecord, UserRecord } from "../format/record.js";
import { extraBlockFields } from "../format/unknown-names.js";
import type { ProblemLog } from "./problem-log.js";

/** What the API would refuse, or older clients choke on, when a session is sent again. */
export function checkContent(record: UserRecord | AssistantRecord, log: ProblemLog): void {
  const { line, blocks } = record;
  for (const { raw } of blocks) for (const name of extraBlockFields(raw)) log.add("extra-block-field", line, name);
  if (record.kind === "user") return;
  if (stringAt(objectAt(record.raw, "message") ?? record.raw, "content") !== undefined) log.add("string-answer", line);
  for (const block of blocks) checkAnswerBlock(block, line, log);
}

/** An aborted message may lack a signature too: nobody sent the rest of it. */
function checkAnswerBlock(block: ContentBlock, line: number, log: ProblemLog): void {
  if (block.kind === "text" && block.text.trim() === "") log.add("empty-text", line);
  if (block.kind !== "thinking") return;
  if (!block.signature) log.add("unsigned-thinking", line);
  else if (block.text === "") log.add("hollow-thinking", line);
}
