import { stringAt } from "../../format/json.js";
import { asksPerson } from "../../session/messages/tool-status.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { personLines } from "../compress/condense-turn.js";
import { changedFiles, openPoints, TEST } from "../compress/describe-work.js";

/** Everything that the next person or session needs, in full; `writeBrief` makes it short. */
export interface BriefFacts {
  /** What was asked first, and last. */
  readonly goal: BriefItem | undefined;
  readonly request: BriefItem | undefined;
  /** What the model said last. */
  readonly state: string;
  /** Sentences of people that say how it must be done. */
  readonly constraints: readonly BriefItem[];
  /** Answers of people, plans and what became of them, feedback on denied calls. */
  readonly decisions: readonly BriefItem[];
  /** Sentences of the model that say what it found or chose. */
  readonly findings: readonly BriefItem[];
  readonly course: readonly BriefStep[];
  readonly commands: readonly BriefCommand[];
  /** Changed by shell commands, as far as these say so. */
  readonly shellFiles: readonly string[];
  readonly open: readonly string[];
}

export interface BriefItem {
  readonly turn: number;
  readonly text: string;
}

export interface BriefStep {
  readonly turn: number;
  readonly line: number;
  readonly asked: string;
  readonly outcome: string;
}

/** A command that matters, with how it ended last. */
export interface BriefCommand {
  readonly command: string;
  readonly runs: number;
  readonly turn: number;
  readonly status: ToolCall["status"];
  readonly told: string;
}

/** One turn in memory at a time. */
export function gatherBrief(turns: Iterable<Turn>): BriefFacts {
  const asked: BriefItem[] = [];
  const constraints = onceEach();
  const decisions = onceEach();
  const findings = onceEach();
  const course: BriefStep[] = [];
  const commands = new Map<string, BriefCommand>();
  const shellFiles = new Set<string>();
  const work: Pick<Turn, "toolCalls" | "messages">[] = [];
  let state = "";
  let last: Turn | undefined;
  for (const turn of turns) {
    const { index, kind, prompt, line, toolCalls } = turn;
    const words = kind === "notification" ? [] : [prompt, ...turn.followUps.map((followUp) => followUp.prompt)];
    for (const text of words) {
      if (kind === "prompt" && text.trim() !== "") asked.push({ turn: index, text });
      constraints.add(index, sentencesOf(text).filter(isConstraint));
    }
    decisions.add(index, personLines(turn));
    const texts = textsOf(turn);
    findings.add(
      index,
      texts.flatMap((text) => sentencesOf(text).filter(isFinding)),
    );
    const outcome = texts.at(-1) ?? "";
    if (outcome !== "") state = outcome;
    course.push({ turn: index, line, asked: prompt, outcome: describeOutcome(turn, outcome) });
    for (const call of toolCalls) noteCommand(commands, call, index);
    for (const file of toolCalls.filter(({ name }) => name === "Bash").flatMap(changedFiles)) shellFiles.add(file);
    work.push({ toolCalls: toolCalls.filter(isWork).map(withoutBody), messages: [] });
    last = turn;
  }
  return {
    goal: asked[0],
    request: asked.length > 1 ? asked.at(-1) : undefined,
    state,
    constraints: constraints.items,
    decisions: decisions.items,
    findings: findings.items,
    course,
    commands: [...commands.values()],
    shellFiles: [...shellFiles],
    open: [...openPoints(last ? [...work.slice(0, -1), last] : work), ...(last ? describeEnd(last) : [])],
  };
}

/** Items in their order; one that was said again counts where it was said last. */
function onceEach() {
  const known = new Map<string, BriefItem>();
  return {
    add(turn: number, texts: readonly string[]): void {
      for (const text of texts) {
        known.delete(text);
        known.set(text, { turn, text });
      }
    },
    get items(): readonly BriefItem[] {
      return [...known.values()];
    },
  };
}

function textsOf({ messages }: Turn): string[] {
  return messages
    .filter(({ author }) => author === "model")
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? block.text.trim() : [])))
    .filter((text) => text !== "");
}

const LONGEST_SENTENCE = 320;
const SHORTEST_SENTENCE = 12;

/** Lines and sentences of prose; code and what was pasted are none. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split(/\n+|(?<=[.!?])\s+(?=["'(]?[A-Z])/)
    .map((sentence) => sentence.replace(/^[\s>*#-]+|^\d+[.)]\s+/g, "").trim())
    .filter(({ length }) => length >= SHORTEST_SENTENCE && length <= LONGEST_SENTENCE);
}

const CONSTRAINT =
  /\b(?:must|never|always|only|don['’]?t|do not|without|avoid|keep|should(?:n['’]t| not)?|no (?:new|more|other)|at (?:least|most)|make sure|ensure|instead of|rather than|not (?:to|in|the)|has to|have to|needs? to)\b/i;

function isConstraint(sentence: string): boolean {
  return CONSTRAINT.test(sentence) && !sentence.endsWith("?");
}

const FINDING =
  /\b(?:root cause|the (?:cause|problem|bug|reason|culprit|fix) (?:is|was)|because|turns out|decided|chose|went with|going with|instead of|rather than|caused by|due to|so that|the trade-?off)\b/i;

function isFinding(sentence: string): boolean {
  return FINDING.test(sentence) && !sentence.endsWith("?");
}

function describeOutcome({ interrupted, toolCalls }: Turn, said: string): string {
  const denied = toolCalls.filter(({ status }) => status === "denied").length;
  const marks = [
    ...(interrupted ? ["interrupted"] : []),
    ...(denied > 0 ? [`${denied} ${denied === 1 ? "call" : "calls"} denied`] : []),
  ];
  return [...marks, ...(said === "" ? [] : [said])].join("; ");
}

const BUILD =
  /\b(?:build|make|compile|cargo|gradlew?|mvn|bench\w*|migrat\w+|deploy\w*|install|mypy|ruff|eslint|clippy|fmt|docker|terraform|curl)\b|\bgo (?:test|build|vet)\b|\bgit (?:commit|push|merge|rebase|tag|revert|cherry-pick)\b/;

function noteCommand(commands: Map<string, BriefCommand>, call: ToolCall, turn: number): void {
  if (call.name !== "Bash") return;
  const command = (stringAt(call.input, "command") ?? "").trim();
  if (!TEST.test(command) && !BUILD.test(command)) return;
  const key = command.replace(/^cd \S+ && /, "").replace(/\s*(?:2>&1)?\s*\|\s*(?:tail|head)\b.*$/s, "");
  const runs = (commands.get(key)?.runs ?? 0) + 1;
  commands.delete(key);
  commands.set(key, {
    command: key,
    runs,
    turn,
    status: call.status,
    told: call.status === "denied" ? "" : tellingLines(call),
  });
}

const RESULT_BYTES = 20_000;

/** What a command said of its outcome: the lines that count or name failures, else the last one. */
function tellingLines({ result }: ToolCall): string {
  const lines = (result ?? "")
    .slice(-RESULT_BYTES)
    .split("\n")
    .map((line) => line.trim());
  const said = lines.filter((line) => line !== "");
  const telling = said.filter(
    (line) => /\b(?:fail\w*|passed|error\w*|ok|warnings?|panick\w*)\b/i.test(line) && line.length < 240,
  );
  return (telling.length > 0 ? telling : said).slice(-2).join(" / ");
}

/** Calls that tell at the end what is open. */
function isWork({ name, input }: ToolCall): boolean {
  if (name === "Bash") return TEST.test(stringAt(input, "command") ?? "");
  return name === "TodoWrite" || name === "TaskCreate" || name === "TaskUpdate";
}

function withoutBody(call: ToolCall): ToolCall {
  return { ...call, result: call.result?.slice(0, RESULT_BYTES) ?? null, resultBlocks: [] };
}

function describeEnd({ index, interrupted, complete, messages, toolCalls, prompt }: Turn): string[] {
  const isAnswered = messages.some(
    ({ author, blocks }) => author === "model" && blocks.some(({ kind }) => kind === "text"),
  );
  const open = toolCalls.filter(
    ({ status, name }) => (status === "orphan" || status === "interrupted") && !asksPerson(name),
  );
  const asking = toolCalls.filter(({ name, status }) => asksPerson(name) && status !== "ok");
  return [
    ...(interrupted ? [`Interrupted by the user in turn ${index}`] : []),
    ...(complete || interrupted ? [] : [`Turn ${index} is not complete`]),
    ...(isAnswered || interrupted ? [] : [`Without an answer: ${prompt}`]),
    ...open.map(({ name, summary }) => `Without a result: ${name} ${summary}`),
    ...asking.map(({ name, summary, status }) => `${name} (${status}): ${summary}`),
  ];
}
