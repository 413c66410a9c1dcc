import { stringAt } from "../../format/json.js";
import { asksPerson, holdsPersonsWords } from "../../session/messages/tool-status.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { personLines } from "../compress/condense-turn.js";
import { changedFiles, openPoints, TEST } from "../compress/describe-work.js";
import { type BriefCommand, collectCommands } from "./brief-commands.js";
import { answerToQuestion, constraintsIn, findingsIn, leftOpenIn, putOffIn } from "./brief-sentences.js";
import { collectChangedNames } from "./changed-names.js";

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
  /** What changed in a file, by the names of what was added. */
  readonly changedNames: (path: string) => readonly string[];
  /** Changed by shell commands, as far as these say so. */
  readonly shellFiles: readonly string[];
  /** Changed after the last commit, where there is one. */
  readonly notCommitted: readonly string[];
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
  /** The last answer. */
  readonly said: string;
}

/** One turn in memory at a time. */
export function gatherBrief(turns: Iterable<Turn>): BriefFacts {
  const asked: BriefItem[] = [];
  const constraints = onceEach();
  const decisions = onceEach();
  const findings = onceEach();
  const putOff = onceEach();
  const commands = collectCommands();
  const changed = collectChangedNames();
  const course: BriefStep[] = [];
  const shellFiles = new Set<string>();
  const commits = watchCommits();
  const work: Pick<Turn, "toolCalls" | "messages">[] = [];
  let state = "";
  let last: Turn | undefined;
  for (const turn of turns) {
    const { index, kind, prompt, line, toolCalls } = turn;
    const words = kind === "notification" ? [] : [prompt, ...turn.followUps.map((followUp) => followUp.prompt)];
    if ((kind === "prompt" || kind === "command") && prompt.trim() !== "") asked.push({ turn: index, text: prompt });
    const answer = kind === "prompt" ? answerToQuestion(state, prompt) : undefined;
    if (answer !== undefined) decisions.add(index, [answer]);
    for (const text of kind === "prompt" ? words : words.slice(1)) {
      putOff.add(index, putOffIn(text));
      if (text !== prompt || answer === undefined) constraints.add(index, constraintsIn(text));
    }
    decisions.add(index, [...personLines(turn).map(withoutRejectedPlan), ...deniedCalls(turn)]);
    const texts = textsOf(turn);
    findings.add(index, texts.flatMap(findingsIn));
    const outcome = texts.at(-1) ?? "";
    if (outcome !== "") state = outcome;
    course.push({ turn: index, line, asked: prompt, outcome: describeOutcome(turn, outcome), said: outcome });
    for (const call of toolCalls) {
      commands.add(call, index);
      changed.add(call);
      commits.add(call);
      if (call.name === "Bash") for (const file of changedFiles(call)) shellFiles.add(file);
    }
    work.push({ toolCalls: toolCalls.filter(isWork).map(withoutBody), messages: [] });
    last = turn;
  }
  return {
    goal: asked[0],
    request: asked.length > 1 ? asked.at(-1) : undefined,
    state: describeState(course),
    constraints: constraints.items.filter(({ turn }) => turn !== asked[0]?.turn || isLong(asked[0])),
    decisions: decisions.items,
    findings: findings.items.filter(({ text }) => !state.includes(text)),
    course,
    commands: commands.items,
    changedNames: changed.of,
    shellFiles: [...shellFiles],
    notCommitted: commits.left,
    open: [
      ...openPoints(last ? [...work.slice(0, -1), last] : work),
      ...(last ? describeEnd(last) : []),
      ...course.slice(-STILL_FRESH).flatMap(describeLeftOpen),
      ...putOff.items.map(({ turn, text }) => `Put off: ${text} (turn ${turn})`),
    ],
  };
}

const SHORT_GOAL = 320; // characters

/** A short goal is told whole; its sentences need not be told again. */
function isLong({ text }: BriefItem): boolean {
  return text.trim().length > SHORT_GOAL;
}

function describeLeftOpen({ turn, said }: BriefStep): string[] {
  return leftOpenIn(said).map((text) => `${text} (turn ${turn})`);
}

/** Turns of which it is likely that what they leave open is open. */
const STILL_FRESH = 3;

/** Which files were changed after the last commit, where there is one. */
function watchCommits() {
  const changed = new Set<string>();
  let hasCommit = false;
  return {
    add(call: ToolCall): void {
      for (const file of changedFiles(call)) changed.add(file);
      const isCommit = /\bgit (?:-\S+ )*commit\b/.test(stringAt(call.input, "command") ?? "");
      if (call.name !== "Bash" || call.status !== "ok" || !isCommit) return;
      hasCommit = true;
      changed.clear();
    },
    get left(): readonly string[] {
      return hasCommit ? [...changed] : [];
    },
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

const SHORT_STATE = 250; // characters

/** The last answer; where it says little, the ones before it too. */
function describeState(course: readonly BriefStep[]): string {
  const answers = course.filter(({ said }) => said !== "");
  const last = answers.at(-1)?.said ?? "";
  if (last.length >= SHORT_STATE) return last;
  const before = answers.slice(-3, -1).map(({ turn, said }) => `Turn ${turn}: ${said}`);
  return [...before, last].join("\n\n");
}

/** Of a plan that was not taken, its beginning is enough: the next one says what counts. */
function withoutRejectedPlan(line: string, at: number, lines: readonly string[]): string {
  const isPlan = line.startsWith("ExitPlanMode, the plan: ");
  const isRejected = isPlan && /^ExitPlanMode: (?!.*approved)/.test(lines[at + 1] ?? "");
  return isRejected ? `A plan that was not taken: ${line.slice(line.indexOf(": ") + 2).slice(0, 120)} …` : line;
}

function deniedCalls({ toolCalls }: Turn): string[] {
  return toolCalls
    .filter((call) => call.status === "denied" && !holdsPersonsWords(call) && !asksPerson(call.name))
    .map(({ name, summary }) => `Denied by the user: ${name} ${summary}`);
}

function describeOutcome({ interrupted, toolCalls }: Turn, said: string): string {
  const denied = toolCalls.filter(({ status }) => status === "denied").length;
  const marks = [
    ...(interrupted ? ["interrupted"] : []),
    ...(denied > 0 ? [`${denied} ${denied === 1 ? "call" : "calls"} denied`] : []),
  ];
  return [...marks, ...(said === "" ? [] : [said])].join("; ");
}

const RESULT_BYTES = 20_000;

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
