import { asksPerson } from "../../session/messages/tool-status.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { BriefItem } from "./brief-goal.js";
import { areAboutTheSame, leftOpenIn, listedNextIn, nextIn, putOffIn, questionsIn } from "./brief-sentences.js";

export interface BriefStep {
  readonly turn: number;
  readonly line: number;
  readonly asked: string;
  readonly outcome: string;
  /** The last answer. */
  readonly said: string;
}

/** Turns of which it is likely that what they leave open is open. */
const STILL_FRESH = 3;
const MOST_QUESTIONS = 4;

/** What the last answer asks the user. */
export function describeWaiting({ said, outcome }: BriefStep): string[] {
  const questions = outcome.startsWith("interrupted") ? [] : questionsIn(said).slice(-MOST_QUESTIONS);
  return questions.length === 0 ? [] : [`Waiting for an answer: ${questions.join(" ")}`];
}

/** What the newest answer that plans ahead names as next, and what a person wanted only after something else. */
export function describeNext(course: readonly BriefStep[], answers: readonly BriefItem[]): string[] {
  const fresh = course.slice(-STILL_FRESH);
  const plans = course
    .slice(-STILL_PLANNED)
    .map((step) => ({ turn: step.turn, next: stepsAhead(step, course, fresh) }));
  const plan = plans.findLast(({ next }) => next.length > 0);
  const after = answers.filter(({ turn, text }) => turn >= (fresh[0]?.turn ?? 0) && /Answer: .*\bfirst\b/is.test(text));
  return [
    ...after.map(({ text, turn }) => `Next, after what came first: ${text.replace(/^Asked: /, "")} (turn ${turn})`),
    ...(plan ? [`Next: ${plan.next.join(" ")} (turn ${plan.turn})`] : []),
  ];
}

const STILL_PLANNED = 12; // turns

/** Of an older answer only its list of next steps, without those that a later turn took up. */
function stepsAhead({ turn, said }: BriefStep, course: readonly BriefStep[], fresh: readonly BriefStep[]): string[] {
  const steps = fresh.some((step) => step.turn === turn) ? nextIn(said) : listedNextIn(said);
  return steps.filter((text) => !course.some((later) => later.turn > turn && areAboutTheSame(text, later.asked)));
}

export function describeLeftOpen(course: readonly BriefStep[]): string[] {
  return course
    .slice(-STILL_FRESH)
    .flatMap(({ turn, said }) => leftOpenIn(said).map((text) => `${text} (turn ${turn})`));
}

/** What a person put off and no later turn took up. What they meant to do themselves counts while it is fresh. */
export function describePutOff(words: readonly BriefItem[], course: readonly BriefStep[]): string[] {
  const fresh = course.at(-STILL_FRESH)?.turn ?? 0;
  return words
    .flatMap(({ turn, text }) => putOffIn(text, turn >= fresh).map((sentence) => ({ turn, text: sentence })))
    .filter(({ turn, text }) => !course.some((later) => later.turn > turn && areAboutTheSame(text, later.asked)))
    .map(({ turn, text }) => `Put off: ${text} (turn ${turn})`);
}

/** How the last turn ended, where it did not end well. */
export function describeEnd({ index, interrupted, complete, messages, toolCalls, prompt }: Turn): string[] {
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
