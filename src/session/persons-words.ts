/** Tools that put a question to a person. Their result is the answer; the input of `ExitPlanMode` is the plan to approve. */
const ASKING: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

/**
 * Whether a tool call holds words of a person: the answer to a question, a plan that was put to them, or what they typed when
 * they were asked whether the call may run. Prune leaves such a call and its result as they are, compress keeps the words.
 */
export function holdsPersonsWords({ name, personsWords }: PossibleWords): boolean {
  return asksPerson(name) || personsWords !== null;
}

interface PossibleWords {
  readonly name: string;
  /** What a person typed when they were asked whether the call may run. */
  readonly personsWords: string | null;
}

export function asksPerson(toolName: string): boolean {
  return ASKING.has(toolName);
}
