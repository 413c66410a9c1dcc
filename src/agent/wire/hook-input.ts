import type { JsonObject } from "../../format/json.js";

/** What a hook is told, by the client's names. */

export interface HookSituation {
  readonly sessionId: string;
  readonly path: string;
  readonly cwd: string;
  readonly mode: string;
}

export function hookInput(event: string, { sessionId, path, cwd, mode }: HookSituation, more: JsonObject): JsonObject {
  const common = { session_id: sessionId, transcript_path: path, cwd, permission_mode: mode };
  return { ...common, hook_event_name: event, ...more };
}

export interface HookedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export function callFields({ id, name, input }: HookedCall): JsonObject {
  return { tool_name: name, tool_input: input, tool_use_id: id };
}

export function resultFields(call: HookedCall, data: unknown): JsonObject {
  return { ...callFields(call), tool_response: data };
}

/** `isAgain`: a hook has objected to the end of this turn before. */
export function stopFields(isAgain: boolean): JsonObject {
  return { stop_hook_active: isAgain };
}

export function compactFields(trigger: string, instructions: string | undefined): JsonObject {
  return { trigger, custom_instructions: instructions ?? "" };
}
