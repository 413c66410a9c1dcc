import type { ContentBlock } from "../../format/record/content-block.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { branchOnlyTurns, type TurnRange } from "../../render/show-session.js";
import type { Message } from "../../session/messages/message.js";
import { toSessionTotals } from "../../session/session-spend.js";
import type { Preamble, Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";

const SCHEMA = 1;

export interface JsonOptions {
  readonly range: TurnRange;
  /** A redactor's, which removes secrets while it writes, or a plain one. */
  readonly stringify: Redactor["stringify"];
  /** Include the turns of sub-agents, not only their totals. */
  readonly withSubagents?: boolean;
}

/** The JSON contract, piece by piece so that no session is too large, with the dead branches of these leaves. */
export function* sessionJson(
  session: LoadedSession,
  deadLeaves: readonly string[],
  options: JsonOptions,
): Generator<string> {
  const { stringify, range } = options;
  const { outline } = session;
  yield `{"schema":${SCHEMA},"session":${stringify(session.header, "session")}`;
  yield `,"preamble":${stringify(preambleToJson(session.preamble()), "preamble")},"turns":`;
  yield* turnsJson(session.turns(range.from, range.to), options);
  yield* contextJson(session, options);
  if (deadLeaves.length > 0) yield* deadBranchesJson(session, deadLeaves, options);
  yield `,"subagents":`;
  yield* subagentsJson(session, options);
  const rest = {
    compactions: session.compactions(),
    branches: { active: outline.activeLeaf, dead: outline.deadBranches },
    totals: toSessionTotals(outline.totals, session.costs()),
    warnings: outline.warnings,
  };
  yield `,${stringify(rest, "session").slice(1)}\n`;
}

function* turnsJson(turns: Iterable<Turn>, { stringify }: JsonOptions): Generator<string> {
  yield* listJson(turns, (turn) => [stringify(turnToJson(turn), `turn ${turn.index}`)]);
}

/** Without raw blocks that add nothing, and without the bytes of images and the text of files. */
export function turnToJson(turn: Turn): object {
  const { attached: _attached, attachedFiles: _attachedFiles, ...fields } = turn;
  return { ...fields, ...partsToJson(turn) };
}

function preambleToJson(preamble: Preamble): object {
  return { ...preamble, ...partsToJson(preamble) };
}

function partsToJson({ messages, toolCalls }: Pick<Preamble, "messages" | "toolCalls">): object {
  return { messages: messages.map(messageToJson), toolCalls: toolCalls.map(callToJson) };
}

function callToJson(call: ToolCall): object {
  const { resultBlocks: _blocks, ...fields } = call;
  return fields;
}

function messageToJson(message: Message): object {
  return { ...message, blocks: message.blocks.map(blockToJson) };
}

function blockToJson(block: ContentBlock): object {
  if (block.kind === "toolResult" || block.kind === "other") return block;
  const { raw: _raw, ...fields } = block;
  return fields;
}

/** The conversation that a forked sub-agent began with. */
function* contextJson(session: LoadedSession, options: JsonOptions): Generator<string> {
  const context = session.forkContext();
  if (!context) return;
  const { sessionId, uuid, records, problem, parts } = context;
  const facts = options.stringify({ sessionId, uuid, records, problem }, "sub-agents");
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
    const json = options.stringify(subagent, "sub-agents");
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
