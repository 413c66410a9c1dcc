import { stringAt } from "../../format/json.js";
import { asksPerson } from "../../session/messages/tool-status.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { personLines } from "../compress/condense-turn.js";
import { openPoints, TEST } from "../compress/describe-work.js";
import { type BriefCommand, type BriefCommit, collectCommands } from "./brief-commands.js";
import { watchFiles } from "./brief-files.js";
import { type BriefItem, watchGoal } from "./brief-goal.js";
import {
  type BriefStep,
  describeEnd,
  describeLeftOpen,
  describeNext,
  describePutOff,
  describeWaiting,
} from "./brief-open.js";
import { answerToQuestion, constraintsIn, findingsIn } from "./brief-sentences.js";
import { collectChangedNames } from "./changed-names.js";
import { cutMiddle } from "./shorten-text.js";

/** Everything that the next person or session needs, in full; `writeBrief` makes it short. */
export interface BriefFacts {
  /** The first prompt that says something, and the last one. */
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
  readonly commits: readonly BriefCommit[];
  /** What changed in a file, by the names of what was added. */
  readonly changedNames: (path: string) => readonly string[];
  /** Changed and removed by shell commands, as far as these say so. */
  readonly shellFiles: readonly string[];
  readonly removedFiles: readonly string[];
  /** Changed after the last commit, where there is one. */
  readonly notCommitted: readonly string[];
  readonly open: readonly string[];
}

/** One turn in memory at a time. */
export function gatherBrief(turns: Iterable<Turn>): BriefFacts {
  const goal = watchGoal();
  const files = watchFiles();
  const commands = collectCommands();
  const changed = collectChangedNames();
  const words = gatherWords();
  const course: BriefStep[] = [];
  const work: Pick<Turn, "toolCalls" | "messages">[] = [];
  let last: Turn | undefined;
  for (const turn of turns) {
    const { index, prompt, line, toolCalls } = turn;
    goal.add(turn);
    const said = textsOf(turn);
    words.add(turn, lastSaid(course), said);
    const outcome = said.at(-1) ?? "";
    course.push({ turn: index, line, asked: prompt, outcome: describeOutcome(turn, outcome), said: outcome });
    for (const call of toolCalls) {
      commands.add(call, index);
      changed.add(call);
      files.add(call);
    }
    work.push({ toolCalls: toolCalls.filter(isWork).map(withoutBody), messages: [] });
    last = turn;
  }
  const { asked, constraints, decisions, findings, prompts } = words;
  const request = asked.length > 1 ? asked.at(-1) : undefined;
  const told = [...decisions, ...(request ? [request] : []), ...(goal.goal && !isLong(goal.goal) ? [goal.goal] : [])];
  const state = describeState(course);
  return {
    goal: goal.goal,
    request,
    state,
    constraints: constraints.filter(({ text }) => !told.some((item) => item.text.includes(text))),
    decisions,
    findings: findings.filter(({ text }) => !lastSaid(course).includes(text)),
    course,
    commands: commands.items,
    commits: commands.commits,
    changedNames: changed.of,
    shellFiles: files.shellFiles,
    removedFiles: files.removedFiles,
    notCommitted: files.notCommitted,
    open: [
      ...course.slice(-1).flatMap(describeWaiting),
      ...(last ? describeEnd(last) : []),
      ...describeNext(course, decisions),
      ...openPoints(last ? [...work.slice(0, -1), last] : work).filter((point) => !point.startsWith(ASKED)),
      ...describeLeftOpen(course),
      ...describePutOff(prompts, course),
    ],
  };
}

/** How `openPoints` tells a question; here the whole question is told. */
const ASKED = "Asked, without an answer: ";

/** What people asked, demanded and decided, and what the model found. */
function gatherWords() {
  const asked: BriefItem[] = [];
  const prompts: BriefItem[] = [];
  const constraints = onceEach();
  const decisions = onceEach();
  const findings = onceEach();
  return {
    /** `before` is what the model said last before the turn. */
    add(turn: Turn, before: string, said: readonly string[]): void {
      const { index, kind, prompt } = turn;
      const words = kind === "notification" ? [] : [prompt, ...turn.followUps.map((followUp) => followUp.prompt)];
      if ((kind === "prompt" || kind === "command") && prompt.trim() !== "") asked.push({ turn: index, text: prompt });
      const answer = kind === "prompt" ? answerToQuestion(before, prompt) : undefined;
      if (answer !== undefined) decisions.add(index, [answer]);
      for (const text of kind === "prompt" ? words : words.slice(1)) {
        prompts.push({ turn: index, text });
        if (text !== prompt || answer === undefined) constraints.add(index, constraintsIn(text));
      }
      const isRefused = (call: ToolCall) => call.status === "denied" && !asksPerson(call.name);
      const lines = personLines({ ...turn, toolCalls: turn.toolCalls.filter((call) => !isRefused(call)) });
      decisions.add(index, [...lines.map(withoutRejectedPlan), ...deniedCalls(turn)]);
      findings.add(index, said.flatMap(findingsIn));
    },
    asked,
    prompts,
    get constraints(): readonly BriefItem[] {
      return constraints.items;
    },
    get decisions(): readonly BriefItem[] {
      return decisions.items;
    },
    get findings(): readonly BriefItem[] {
      return findings.items;
    },
  };
}

const SHORT_GOAL = 320; // characters

/** A short goal is told whole; its sentences need not be told again. */
function isLong({ text }: BriefItem): boolean {
  return text.trim().length > SHORT_GOAL;
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

function lastSaid(course: readonly BriefStep[]): string {
  return course.findLast(({ said }) => said !== "")?.said ?? "";
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

/** What was refused, and the user's words on it. */
function deniedCalls({ toolCalls }: Turn): string[] {
  return toolCalls
    .filter((call) => call.status === "denied" && !asksPerson(call.name))
    .map((call) => {
      const what = `${call.name} ${call.summary.trim().split("\n", 1)[0] ?? ""}${refusedChange(call)}`;
      const words = call.personsWords.map(({ text }) => text).join(" ");
      return words === "" ? `Denied by the user: ${what}` : `Denied by the user: ${words} (on ${what})`;
    });
}

const REFUSED = 160; // characters

/** The first lines that a refused call would have written. */
function refusedChange({ input }: ToolCall): string {
  const old = new Set((stringAt(input, "old_string") ?? "").split("\n").map((line) => line.trim()));
  const text = stringAt(input, "new_string") ?? stringAt(input, "content") ?? "";
  const lines = text.split("\n", MOST_LINES).map((line) => line.trim());
  const added = lines.filter((line) => line !== "" && !old.has(line)).join(" ");
  return added === "" ? "" : `, would have written: ${cutMiddle(added, REFUSED)}`;
}

const MOST_LINES = 200;

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
