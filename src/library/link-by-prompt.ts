import { toAgentCall } from "../format/agent-call.js";
import { readRecordsAt } from "../format/record-reader.js";
import { indexBodies } from "../session/bodies.js";
import { ownText } from "../session/classify-prompt.js";
import type { InlineAgent } from "../session/inline-agents.js";
import { listAt } from "../session/list-at.js";
import { bodyPlace, type Node } from "../session/node.js";
import type { Outline } from "../session/outline.js";

/** Old and new name of the tool that launches sub-agents. */
const LAUNCHERS: ReadonlySet<string> = new Set(["Task", "Agent"]);

/**
 * The calls that launched sub-agents without an id (1.x), by agent: the first that such an agent hears is the prompt of its
 * call. Calls with the same prompt launched their agents in the same order.
 */
export function linkByPrompt(
  path: string,
  { active }: Outline,
  agents: readonly InlineAgent[],
  taken: ReadonlySet<string>,
): Map<string, string> {
  if (agents.length === 0) return new Map();
  const calls = callsByPrompt(path, active, taken);
  const firsts = agents.map(({ nodes }) => nodes.find(({ kind }) => kind === "user"));
  const bodies = indexBodies(
    readRecordsAt(
      path,
      firsts.flatMap((node) => (node ? [bodyPlace(node)] : [])),
    ),
  );
  const launches = new Map<string, string>();
  agents.forEach(({ agentId }, at) => {
    const first = firsts[at] && bodies.of(firsts[at]);
    const call = first?.kind === "user" ? calls.get(ownText(first.blocks))?.shift() : undefined;
    if (call !== undefined) launches.set(agentId, call);
  });
  return launches;
}

function callsByPrompt(path: string, active: readonly Node[], taken: ReadonlySet<string>): Map<string, string[]> {
  const byPrompt = new Map<string, string[]>();
  const seen = new Set(taken);
  const launching = active.filter(({ calls }) => calls?.some(({ name }) => LAUNCHERS.has(name)));
  for (const record of readRecordsAt(path, launching.map(bodyPlace))) {
    if (record.kind !== "assistant") continue;
    for (const block of record.blocks) {
      if (block.kind !== "toolCall" || !LAUNCHERS.has(block.name) || seen.has(block.id)) continue;
      seen.add(block.id);
      const { prompt } = toAgentCall(block.input);
      if (prompt) listAt(byPrompt, prompt).push(block.id);
    }
  }
  return byPrompt;
}
