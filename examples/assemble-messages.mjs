// A client writes one line per block and repeats the tokens on each, early ones too low. Messages count them once.
import { assembleMessages, parseRecords } from "turnlog";

const line = (uuid, block, output_tokens) => {
  const usage = { input_tokens: 12, output_tokens };
  const message = { id: "msg_1", role: "assistant", model: "claude-opus-4-5", content: [block], usage };
  return JSON.stringify({ type: "assistant", uuid, message });
};
const text = [
  line("a1", { type: "text", text: "I look." }, 1),
  line("a2", { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a.ts" } }, 90),
].join("\n");

for (const { id, blocks, usage } of assembleMessages(parseRecords(text))) {
  console.log(id, blocks.map(({ kind }) => kind).join(" + "), `${usage.output} output tokens`);
}
