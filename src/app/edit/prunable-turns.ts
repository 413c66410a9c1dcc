import { sketchBodies } from "../../edit/plans/body-sketch.js";
import { listPrunable } from "../../edit/prune/list-prunable.js";
import { viewForPruning } from "../../edit/prune/prune-decisions.js";
import type { FoundSession } from "../../library/found-session.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import { openRunningSessions } from "../../library/running/running-sessions.js";
import { viewTool } from "../../render/tools/view-tool.js";
import { dataFolderOf, type Environment } from "../settings.js";
import { readSource } from "./prepare-edit.js";

/** A turn with its calls that are in the context. */
export interface PrunableTurn {
  readonly index: number;
  readonly prompt: string;
  readonly calls: readonly PrunableCall[];
}

export interface PrunableCall {
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  /** Estimated tokens that removing it saves, and that a stub saves. */
  readonly tokens: number;
  readonly stubSaves: number;
  /** It holds what a person said, so it stays. */
  readonly isSpoken: boolean;
}

/** A secret that is cut is not recognised, so texts are redacted before they are. */
const READ_CHARACTERS = 20_000;
const SHOWN_CHARACTERS = 160;

/** What can be picked for pruning. Its texts are not redacted yet. */
export function* listingPrunable(
  found: FoundSession,
  session: LoadedSession,
  environment: Environment,
): Generator<void, PrunableTurn[]> {
  const { source } = readSource(found, { sketchesBodies: true }, openRunningSessions(dataFolderOf(environment)));
  const uses = listPrunable(viewForPruning(source, source.sketches ?? sketchBodies(source)));
  yield;
  const wanted = new Set(uses.map(({ call }) => call.id));
  const prompts = new Map<string, string>();
  const titles = new Map<string, string>();
  for (const turn of session.turns()) {
    prompts.set(turn.uuid ?? "", turn.prompt.slice(0, READ_CHARACTERS));
    for (const call of turn.toolCalls)
      if (wanted.has(call.id)) titles.set(call.id, viewTool(call).title.slice(0, READ_CHARACTERS));
    yield;
  }
  const turns = new Map<number, PrunableTurn & { readonly calls: PrunableCall[] }>();
  for (const { call, turn, tokens, stubSaves, isSpoken } of uses) {
    const { index, start } = turn;
    const listed = turns.get(index) ?? { index, prompt: prompts.get(start.uuid ?? "") ?? "", calls: [] };
    turns.set(index, listed);
    listed.calls.push({ id: call.id, tool: call.name, title: titles.get(call.id) ?? "", tokens, stubSaves, isSpoken });
  }
  return [...turns.values()].sort((a, b) => a.index - b.index);
}

/** As they are shown, of redacted ones. */
export function cutTexts(turns: readonly PrunableTurn[]): PrunableTurn[] {
  return turns.map((turn) => ({
    ...turn,
    prompt: turn.prompt.trim().slice(0, SHOWN_CHARACTERS),
    calls: turn.calls.map((call) => ({ ...call, title: call.title.trim().slice(0, SHOWN_CHARACTERS) })),
  }));
}
