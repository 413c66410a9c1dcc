import { toFileCall } from "../../format/file-call.js";
import type { Turn } from "../../session/build-turn.js";
import type { ComparedTurn } from "./align-turns.js";

export function digestTurn(turn: Turn): ComparedTurn {
  const { index, uuid, prompt, messages, toolCalls, usage } = turn;
  const texts = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])),
  );
  const changed = toolCalls.flatMap((call) => {
    const fileCall = toFileCall(call);
    return fileCall && fileCall.kind !== "read" ? [fileCall.path] : [];
  });
  return {
    ids: [...(uuid === null ? [] : [uuid]), ...messages.flatMap(({ id }) => id ?? [])],
    turn: {
      index,
      uuid,
      prompt,
      answer: texts.join("\n\n"),
      tools: toolCalls.map(({ name, summary, status }) => `${name} ${summary}${status === "ok" ? "" : ` (${status})`}`),
      files: [...new Set(changed)].sort(),
      tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
    },
  };
}
