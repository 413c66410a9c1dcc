import type { Turn } from "../../session/build-turn.js";
import { toFileUse } from "../../session/file-use.js";
import type { ComparedTurn } from "./align-turns.js";

export function digestTurn(turn: Turn): ComparedTurn {
  const { index, uuid, prompt, messages, toolCalls, usage } = turn;
  const texts = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])),
  );
  const changed = toolCalls.flatMap(({ name, input }) => {
    const use = toFileUse(name, input);
    return use && use.how !== "read" ? [use.path] : [];
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
