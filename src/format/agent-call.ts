import { stringAt } from "./json.js";

/** What a call that launches a sub-agent asks for. */
export interface AgentCall {
  readonly type: string | undefined;
  readonly description: string | undefined;
  readonly prompt: string | undefined;
}

export function toAgentCall(input: unknown): AgentCall {
  return {
    type: stringAt(input, "subagent_type"),
    description: stringAt(input, "description"),
    prompt: stringAt(input, "prompt"),
  };
}
