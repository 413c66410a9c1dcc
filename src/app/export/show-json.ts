import type { LoadedSession } from "../../library/load/load-session.js";
import type { Clean } from "../../redact/create-redactor.js";
import { branchOnlyTurns, type TurnRange } from "../../render/show-session.js";
import { preambleToJson, type Turn, turnToJson } from "../../session/turns/build-turn.js";

const SCHEMA = 1;

export interface JsonOptions {
  readonly range: TurnRange;
  readonly clean: Clean;
  /** Include the turns of sub-agents, not only their totals. */
  readonly withSubagents?: boolean;
}

/** The JSON contract, piece by piece so that no session is too large, with the dead branches of these leaves. */
export function* sessionJson(
  session: LoadedSession,
  deadLeaves: readonly string[],
  options: JsonOptions,
): Generator<string> {
  const { clean, range } = options;
  const { outline } = session;
  const part = (json: unknown, place: string) => JSON.stringify(clean(json, place));
  yield `{"schema":${SCHEMA},"session":${part(session.header, "session")}`;
  yield `,"preamble":${part(preambleToJson(session.preamble()), "preamble")},"turns":`;
  yield* turnsJson(session.turns(range.from, range.to), options);
  yield* contextJson(session, options);
  if (deadLeaves.length > 0) yield* deadBranchesJson(session, deadLeaves, options);
  yield `,"subagents":`;
  yield* subagentsJson(session, options);
  const rest = {
    compactions: session.compactions(),
    branches: { active: outline.activeLeaf, dead: outline.deadBranches },
    totals: { ...outline.totals, ...session.costs() },
    warnings: outline.warnings,
  };
  yield `,${part(rest, "session").slice(1)}\n`;
}

function* turnsJson(turns: Iterable<Turn>, { clean }: JsonOptions): Generator<string> {
  yield* listJson(turns, (turn) => [JSON.stringify(clean(turnToJson(turn), `turn ${turn.index}`))]);
}

/** The conversation that a forked sub-agent began with. */
function* contextJson(session: LoadedSession, options: JsonOptions): Generator<string> {
  const context = session.forkContext();
  if (!context) return;
  const { sessionId, uuid, records, problem, parts } = context;
  const facts = JSON.stringify(options.clean({ sessionId, uuid, records, problem }, "sub-agents"));
  yield `,"context":${facts.slice(0, -1)},"turns":`;
  yield* turnsJson(eachTurn(parts), options);
  yield "}";
}

function* eachTurn(parts: readonly { turns(): Iterable<Turn> }[]): Generator<Turn> {
  for (const { turns } of parts) yield* turns();
}

function* deadBranchesJson(active: LoadedSession, leaves: readonly string[], options: JsonOptions): Generator<string> {
  yield `,"deadBranches":`;
  const ownTurns = branchOnlyTurns(active);
  yield* listJson(leaves, function* (leaf) {
    const branch = active.branchEnd(leaf);
    yield `{"leaf":${JSON.stringify(branch.outline.activeLeaf)},"turns":`;
    yield* turnsJson(ownTurns(branch), options);
    yield "}";
  });
}

function* subagentsJson(session: LoadedSession, options: JsonOptions): Generator<string> {
  yield* listJson(session.subagents(), function* (subagent) {
    const json = JSON.stringify(options.clean(subagent, "sub-agents"));
    yield options.withSubagents ? `${json.slice(0, -1)},"turns":` : json;
    if (!options.withSubagents) return;
    const opened = session.subagentSession(subagent);
    yield* turnsJson(opened.turns(), options);
    yield* contextJson(opened, options);
    yield "}";
  });
}

function* listJson<T>(items: Iterable<T>, toJson: (item: T) => Iterable<string>): Generator<string> {
  let separator = "[";
  for (const item of items) {
    yield separator;
    yield* toJson(item);
    separator = ",\n";
  }
  yield separator === "[" ? "[]" : "]";
}
