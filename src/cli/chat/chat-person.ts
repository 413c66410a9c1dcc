import type { Person } from "../../agent/chat-options.js";
import type { ApprovalRequest } from "../../agent/permissions/permission-desk.js";
import type { Question } from "../../agent/tools/tool-context.js";
import type { Keyboard } from "./chat-keyboard.js";
import type { ChatScreen } from "./chat-screen.js";
import { describeRequest } from "./describe-request.js";
import { oneLine } from "./one-line.js";

const MAX_RULES = 120;

/** The person at the terminal, asked in plain lines. Whoever leaves without a word says no. */
export function personAt(keyboard: () => Keyboard, screen: ChatScreen): Person {
  return {
    async approve({ tool, input, reason, suggestions }: ApprovalRequest) {
      screen.say(describeRequest(tool, input));
      screen.say(`  ${reason}`);
      const rules = oneLine(suggestions.join(", "), MAX_RULES).trim();
      const always = rules === "" ? "" : `, (a)lways ${rules}`;
      const words = rules === "" ? ["yes", "no"] : ["yes", "no", "always"];
      const answer = await choose(keyboard(), `allow? (y)es, (n)o${always} `, words);
      return answer === "yes" || answer === "always" ? answer : "no";
    },
    async answer(questions) {
      const answers: Record<string, string> = {};
      for (const question of questions) {
        const answer = await askOne(question, keyboard(), screen);
        if (answer === undefined) return undefined;
        answers[question.question] = answer;
      }
      return answers;
    },
    async approvePlan(plan) {
      screen.say(plan);
      return (await choose(keyboard(), "carry out this plan? (y)es, (n)o ", ["yes", "no"])) === "yes";
    },
  };
}

/** Takes a word or its first letter and nothing else: somebody may be typing something when the question comes. */
async function choose(keyboard: Keyboard, prompt: string, words: readonly string[]): Promise<string> {
  for (;;) {
    const line = await keyboard.ask(prompt);
    if (line === undefined) return "no";
    const typed = line.trim().toLowerCase();
    const chosen = words.find((word) => typed === word || typed === word[0]);
    if (chosen !== undefined) return chosen;
  }
}

async function askOne(
  { question, options, multiSelect }: Question,
  keyboard: Keyboard,
  screen: ChatScreen,
): Promise<string | undefined> {
  screen.say(question);
  for (const [index, { label, description }] of options.entries())
    screen.say(`  ${index + 1}. ${label}: ${description}`);
  const hint = multiSelect ? "numbers with commas, or your own words " : "a number, or your own words ";
  const line = await keyboard.ask(hint);
  if (line === undefined) return undefined;
  const picked = line.split(",").map((part) => options[Number(part.trim()) - 1]?.label);
  return picked.every((label) => label !== undefined) ? picked.join(", ") : line.trim();
}
