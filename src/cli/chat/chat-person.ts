import type { Person } from "../../agent/chat-options.js";
import type { ApprovalAnswer, ApprovalRequest } from "../../agent/permissions/permission-desk.js";
import type { Question } from "../../agent/tools/tool-context.js";
import type { Keyboard } from "./chat-keyboard.js";
import type { ChatScreen } from "./chat-screen.js";

const PLAN_QUESTION = "carry out this plan? (y)es, (n)o, (a)lways: change files without asking, or say what to change ";
const NOT_ALWAYS = "no rule can allow this always: (y)es, (n)o, or say what to do instead ";
const TRUST_QUESTION = "let these settings count in this folder, now and later? (y)es, (n)o: work without them ";

/** The user at the terminal, asked one question at a time. No answer means no. */
export function personAt(keyboard: () => Keyboard, screen: ChatScreen): Person {
  let asking: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const asked = asking.then(ask);
    asking = asked.catch(() => undefined);
    return asked;
  };
  return {
    approve: (request) => inTurn(() => approve(request, keyboard(), screen)),
    answer: (questions) => inTurn(() => answerAll(questions, keyboard(), screen)),
    approvePlan: (plan) =>
      inTurn(() => {
        screen.markdown(plan);
        return chooseOrSay(keyboard(), PLAN_QUESTION, ["yes", "no", "always"]);
      }),
    trustProject: (project) =>
      inTurn(async () => {
        screen.project(project);
        return (await choose(keyboard(), TRUST_QUESTION, ["yes", "no"])) === "yes";
      }),
  };
}

type Choice = "yes" | "no" | "always";

function approve(request: ApprovalRequest, keyboard: Keyboard, screen: ChatScreen): Promise<ApprovalAnswer> {
  screen.request(request);
  return request.suggestions.length > 0
    ? chooseOrSay(keyboard, "allow? (y)es, (n)o, (a)lways, or say what to do instead ", ["yes", "no", "always"])
    : chooseOrSay(keyboard, "allow? (y)es, (n)o, or say what to do instead ", ["yes", "no"]);
}

/** Other words than these are for the model. A line that was begun before the question is no answer, unless it is one of them. */
async function chooseOrSay(keyboard: Keyboard, prompt: string, words: readonly Choice[]): Promise<ApprovalAnswer> {
  let isOlder = keyboard.hasText;
  const takes = (typed: string) => {
    const isAnswer = chosenOf(typed, words) !== undefined || (!isOlder && typed.trim() !== "");
    isOlder = false;
    return isAnswer;
  };
  const line = (await keyboard.question(prompt, takes)) ?? "no";
  const chosen = chosenOf(line, words);
  if (chosen === undefined && chosenOf(line, ["always"])) return chooseOrSay(keyboard, NOT_ALWAYS, words);
  return chosen ?? { feedback: line.trim() };
}

async function choose(keyboard: Keyboard, prompt: string, words: readonly Choice[]): Promise<Choice> {
  const line = await keyboard.question(prompt, (typed) => chosenOf(typed, words) !== undefined);
  return chosenOf(line ?? "no", words) ?? "no";
}

function chosenOf(line: string, words: readonly Choice[]): Choice | undefined {
  const typed = line.trim().toLowerCase();
  return words.find((word) => typed === word || typed === word[0]);
}

async function answerAll(
  questions: readonly Question[],
  keyboard: Keyboard,
  screen: ChatScreen,
): Promise<Readonly<Record<string, string>> | undefined> {
  const answers: Record<string, string> = {};
  for (const question of questions) {
    const answer = await askOne(question, keyboard, screen);
    if (answer === undefined) return undefined;
    answers[question.question] = answer;
  }
  return answers;
}

async function askOne(
  { question, options, multiSelect }: Question,
  keyboard: Keyboard,
  screen: ChatScreen,
): Promise<string | undefined> {
  screen.question(question);
  for (const [index, { label, description }] of options.entries())
    screen.say(`  ${index + 1}. ${label}${description === "" ? "" : `: ${description}`}`);
  const hint = multiSelect ? "numbers with commas, or your own words: " : "a number, or your own words: ";
  const line = await keyboard.question(hint, (typed) => typed.trim() !== "");
  if (line === undefined) return undefined;
  const picked = line.split(",").map((part) => options[Number(part.trim()) - 1]?.label);
  return picked.every((label) => label !== undefined) ? picked.join(", ") : line.trim();
}
