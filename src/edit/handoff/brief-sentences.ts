/*
 * Which sentences of a session matter to whoever takes over: what people demand and put off, and what the model found and left
 * open. English only.
 */

const LONGEST_SENTENCE = 320;
const SHORTEST_SENTENCE = 12;

const CODE = /```[\s\S]*?(?:```|$)/g;
const DONE = /[✅✓✔☑]|\[x\]/i;

/** Lines and sentences of prose; code and what was pasted are none. */
function sentencesOf(text: string): string[] {
  return text
    .replace(CODE, "\n")
    .split(/\n+|(?<=[.!?])\s+(?=["'(`*]?\p{L})/u)
    .map((sentence) =>
      sentence
        .replaceAll("**", "")
        .replace(/^[\s>*#-]+|^\d+[.)]\s+|^\s*\|\s*|\s*\|\s*$/g, "")
        .replace(/\s+\|\s+/g, ": ")
        .trim(),
    )
    .filter(({ length }) => length >= SHORTEST_SENTENCE && length <= LONGEST_SENTENCE);
}

/** What a person wrote in one go belongs together, unless it is long. */
function wordsOf(text: string): string[] {
  const whole = text.trim().replace(/\s+/g, " ");
  return whole.length >= SHORTEST_SENTENCE && whole.length <= LONGEST_SENTENCE ? [whole] : sentencesOf(text);
}

const CONSTRAINT =
  /\b(?:must|never|always|only|don['’]?t|do not|can['’]?t|cannot|without|avoid|keep|stick (?:to|with)|should(?:n['’]?t| not)?|no (?:new|more|other|need)|at (?:least|most)|max(?:imum)?|up to|make sure|ensure|instead of|rather than|not (?:to|in|the|before|until)|freeze|has to|have to|needs? to|unchanged|prefer|use|pin|leave)\b/i;

/** How it must be done, in the words of a person. */
export function constraintsIn(text: string): string[] {
  return wordsOf(text).filter((words) => CONSTRAINT.test(words) && !/^[^.!]*\?$/.test(words));
}

const FINDING =
  /\b(?:root cause|(?:cause|problem|bug|reason|culprit|fix) (?:is|was)|because|turns out|decided|chose|went with|going with|on purpose|caused by|due to|the trade-?off|on condition that|(?:key|major|critical|important|main) (?:finding|insight|discovery)s?|not (?:required|needed|possible|supported)|confirmed|must (?:match|be|not)|found (?:it|that|the (?:cause|problem|issue|bug)))\b/i;

/** Causes and choices, in the words of the model. */
export function findingsIn(text: string): string[] {
  return sentencesOf(text).filter((sentence) => FINDING.test(sentence) && !/\?$|^[^:]*:$/.test(sentence));
}

/** What the model asks the user. */
export function questionsIn(said: string): string[] {
  return sentencesOf(said.slice(-LONGEST_END)).filter((sentence) => sentence.endsWith("?"));
}

const LONGEST_END = 1500; // characters
const NEXT_HEADING =
  /^[\s#*_>-]*(?:next|next steps?|next up|what['’]s next|remaining(?: work| steps?)?|to-?do)[\s*_:]*$/i;
const NEXT =
  /^(?:next(?: up| steps?)?\b|(?:i['’]d|i would|my) (?:suggest|recommend)|i (?:suggest|recommend)|recommend(?:ed|ation)\b)/i;
const MOST_STEPS = 6;

/** What an answer names as next: a recommendation, and what it lists. */
export function nextIn(said: string): string[] {
  return [
    ...sentencesOf(said).filter((sentence) => NEXT.test(sentence) && !/[?:]$/.test(sentence)),
    ...listedNextIn(said),
  ];
}

/** The list below such a heading, or below an offer of the model. */
export function listedNextIn(said: string): string[] {
  const lines = said
    .replace(CODE, "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const at = lines.findLastIndex((line) => NEXT_HEADING.test(line) || OFFER.test(line));
  return at === -1 ? [] : listBelow(lines, at);
}

const OFFER = /\bi(?:['’]ll| will| would|['’]d):$/i;
const LIST_ITEM = /^(?:[-*•]|\d+[.)])\s+/;

function listBelow(lines: readonly string[], at: number): string[] {
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !LIST_ITEM.test(line));
  return rest
    .slice(0, Math.min(end === -1 ? rest.length : end, MOST_STEPS))
    .filter((line) => !DONE.test(line))
    .map((line) => line.replaceAll("**", ""));
}

const LEFT_OPEN =
  /\b(?:still (?:to do|open|missing|not|fail\w*|needs?|broken|red|use[sd]?)|not yet|haven['’]t|have not|has not|hasn['’]t|remain(?:s|ing)|left (?:to do|as)|next steps?|to-?do|follow-?up|out of scope|postponed|deferred|not (?:understood|sure|covered|tested|verified)|no idea|suspect|unresolved|unclear|blocked|waiting for|not (?:built|implemented|done|fixed|committed|pushed|deployed|merged)|known (?:limitation|issue|bug)s?|would (?:catch|need|have to)|fails? with|failing|before (?:we|the|you) (?:can|deploy|release|merge))\b/i;

/** What the model says is not done, not understood or not sound. */
export function leftOpenIn(text: string): string[] {
  return sentencesOf(text).filter(
    (sentence) => LEFT_OPEN.test(sentence) && !DONE.test(sentence) && !sentence.endsWith("?"),
  );
}

const PUT_OFF =
  /\b(?:later|(?<!\b(?:keep|continue|should|use)\b.{0,20})for now(?!.{0,20}\b(?:keep|continue|should|use)\b)|for the moment|not now|another time|not in this|(?:separate|next|own|follow-?up) (?:pr|pull request|ticket|issue|commit|session)|next (?:week|sprint|release)|tomorrow|on (?:mon|tues|wednes|thurs|fri)day|come back to|leave (?:it|that|this)|park (?:it|that|this)|out of scope)\b/i;

const OWN_TASK = /\bi['’]?ll (?:do|talk|ask|open|have|check|take|write|handle|tell|fix|look)\b|\bi will\b/i;

/** What a person put off, and what they want to do themselves. */
export function putOffIn(text: string, withOwnTasks: boolean): string[] {
  return wordsOf(text).filter((words) => PUT_OFF.test(words) || (withOwnTasks && OWN_TASK.test(words)));
}

const COMMON =
  /^(?:this|that|then|than|them|they|with|from|have|will|what|when|where|which|would|could|should|later|leave|there|these|those|about|just|into|also|some|your|ours|does|next|first|think|after|before)$/;

const LONGEST_ANSWER = 400;

/** What was decided by answering: the question or the offer before, and the words of the person. */
export function answerToQuestion(said: string, prompt: string): string | undefined {
  const words = prompt.trim();
  if (words === "" || words.length > LONGEST_ANSWER) return undefined;
  const chosen = chosenOption(said, words);
  if (chosen !== undefined) return `Chosen: ${chosen}. In the words of the user: ${words}`;
  const asked = sentencesOf(said).findLast((sentence) => sentence.endsWith("?"));
  return asked === undefined || words.endsWith("?") ? undefined : `Asked: ${asked} Answer: ${words}`;
}

/** Of offers such as `(a) …, (b) …` or `1. …`, the one that an answer names first. */
function chosenOption(said: string, words: string): string | undefined {
  const [, name] =
    /^(?:option |ok,? |yes,? |go (?:for|with) |take )*\(?([a-e]|[1-9])(?:[).:,;\s]|$)/i.exec(words) ?? [];
  if (name === undefined) return undefined;
  const options = [
    ...said.matchAll(
      /(?:^|[\s(*])\(?([a-e]|[1-9])[).]\*{0,2}\s+([^\n]+?)(?=[,;]?\s(?:or\s|and\s)?\(?(?:[a-e]|[1-9])[).]\s|\n|$)/gi,
    ),
  ];
  const option = options.find(([, at]) => at?.toLowerCase() === name.toLowerCase())?.[2];
  return option === undefined || options.length < 2 ? undefined : `(${name}) ${option.replace(/[.,;]+$/, "")}`;
}

/** Whether most of what one of two texts is about comes up in the other. */
export function areAboutTheSame(one: string, other: string): boolean {
  const [words, others] = [tellingWords(one), tellingWords(other)];
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared >= Math.min(2, words.size) && shared > 0 && shared >= Math.min(words.size, others.size) * 0.6;
}

function tellingWords(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu) ?? []).filter((word) => !COMMON.test(word)));
}
