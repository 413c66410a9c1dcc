import { listAt } from "../../collections.js";
import { arrayAt, isObject, stringAt } from "../../format/json.js";
import { type Dialogue, plainText, type RecordedAnswer } from "./read-dialogues.js";

export interface Match {
  readonly answer: RecordedAnswer;
  readonly by: "results" | "prompt" | "position";
}

/** What a request says since the model's last answer, and what that answer was. */
export interface Request {
  readonly texts: readonly string[];
  readonly results: readonly string[];
  readonly lastAnswer: { readonly calls: readonly string[]; readonly text: string } | null;
}

export function readRequest(body: unknown): Request {
  const messages = arrayAt(body, "messages");
  const last = messages.findLastIndex((message) => stringAt(message, "role") === "assistant");
  const said = messages.slice(last + 1).flatMap(blocksOf);
  const answered = last < 0 ? null : blocksOf(messages[last]);
  return {
    texts: textsOf(said),
    results: said.flatMap((block) => stringAt(block, "tool_use_id") ?? []),
    lastAnswer: answered && {
      calls: answered.flatMap((block) => (stringAt(block, "type") === "tool_use" ? (stringAt(block, "id") ?? []) : [])),
      text: textsOf(answered).join(" "),
    },
  };
}

function textsOf(blocks: readonly unknown[]): string[] {
  return blocks.flatMap((block) => {
    const text = stringAt(block, "type") === "text" ? plainText(stringAt(block, "text") ?? "") : "";
    return text === "" ? [] : [text];
  });
}

function blocksOf(message: unknown): readonly unknown[] {
  if (!isObject(message)) return [];
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
}

/** Each once, those first that follow most of the texts. */
function mostNamed(answers: readonly RecordedAnswer[]): RecordedAnswer[] {
  const counts = new Map<RecordedAnswer, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([answer]) => answer);
}

/**
 * Finds the recorded answer that follows what a request says: by the results in it, whose calls have the recorded ids; by the
 * prompt; and where neither is recorded, the one after the answer before. A request that is sent again gets the same answer.
 */
export class AnswerFinder {
  readonly #byResult = new Map<string, RecordedAnswer>();
  readonly #byPrompt = new Map<string, RecordedAnswer[]>();
  readonly #byCall = new Map<string, RecordedAnswer>();
  readonly #byText = new Map<string, RecordedAnswer[]>();
  readonly #next = new Map<RecordedAnswer, RecordedAnswer>();
  readonly #previous = new Map<RecordedAnswer, RecordedAnswer>();
  readonly #beginnings: RecordedAnswer[] = [];
  readonly #given = new Set<RecordedAnswer>();

  constructor(dialogues: readonly Dialogue[]) {
    for (const { agentId, answers } of dialogues) {
      if (agentId === null && answers[0]) this.#beginnings.push(answers[0]);
      for (const answer of answers) this.#add(answer, answers[answer.index - 1]);
    }
  }

  /** Undefined: nothing that was recorded follows. With `isStrict` only what was said counts. */
  find(request: Request, isStrict: boolean): Match | undefined {
    const match = this.#byResults(request) ?? this.#byTexts(request) ?? (isStrict ? undefined : this.#byPlace(request));
    if (match) this.#given.add(match.answer);
    return match;
  }

  #add(answer: RecordedAnswer, previous: RecordedAnswer | undefined): void {
    for (const id of answer.before.results) if (!this.#byResult.has(id)) this.#byResult.set(id, answer);
    for (const text of answer.before.texts) listAt(this.#byPrompt, text).push(answer);
    for (const block of answer.blocks) {
      const id = stringAt(block, "id");
      if (block.type === "tool_use" && id !== undefined) this.#byCall.set(id, answer);
    }
    listAt(this.#byText, textsOf(answer.blocks).join(" ")).push(answer);
    if (previous === undefined) return;
    this.#next.set(previous, answer);
    this.#previous.set(answer, previous);
  }

  /** The one that follows most of the results. */
  #byResults({ results }: Request): Match | undefined {
    const counts = new Map<RecordedAnswer, number>();
    for (const id of results) {
      const answer = this.#byResult.get(id);
      if (answer) counts.set(answer, (counts.get(answer) ?? 0) + 1);
    }
    const [best] = [...counts].sort(([, a], [, b]) => b - a);
    return best && { answer: best[0], by: "results" };
  }

  /** The same prompt may have been given more than once: the answer before tells which it is, else the first that was not given yet. */
  #byTexts(request: Request): Match | undefined {
    const candidates = mostNamed(request.texts.toReversed().flatMap((text) => this.#byPrompt.get(text) ?? []));
    const before = this.#lastOf(request);
    const answer =
      candidates.find((candidate) => before.length > 0 && before.includes(this.#previousOf(candidate))) ??
      candidates.find(
        (candidate) => before.length === 0 && !this.#previous.has(candidate) && !this.#given.has(candidate),
      ) ??
      candidates.find((candidate) => !this.#given.has(candidate)) ??
      candidates[0];
    return answer && { answer, by: "prompt" };
  }

  #byPlace(request: Request): Match | undefined {
    const [last] = this.#lastOf(request);
    const answer = request.lastAnswer
      ? last && this.#next.get(last)
      : (this.#beginnings.find((beginning) => !this.#given.has(beginning)) ?? this.#beginnings[0]);
    return answer && { answer, by: "position" };
  }

  /** The recorded answers that the last answer in a request may be. */
  #lastOf({ lastAnswer }: Request): readonly RecordedAnswer[] {
    if (!lastAnswer) return [];
    const byCall = lastAnswer.calls.flatMap((id) => this.#byCall.get(id) ?? []);
    return byCall.length > 0 ? byCall : (this.#byText.get(lastAnswer.text) ?? []);
  }

  #previousOf(answer: RecordedAnswer): RecordedAnswer {
    return this.#previous.get(answer) ?? answer;
  }
}
