import { listAt } from "../../collections.js";
import { arrayAt, isTrueAt, objectAt, stringAt, valueAt } from "../json.js";
import type { ToolResultBlock } from "./content-block.js";
import type { SystemRecord, UserRecord } from "./record.js";

/** What a person said through a tool call. */
export interface PersonsWords {
  /** `feedback`: typed when they were asked whether the call may run; `answer`: to a question; `plan`: one they approved. */
  readonly kind: "feedback" | "answer" | "plan";
  readonly text: string;
  /** The question that an answer is for; null where it is not recorded. */
  readonly question: string | null;
}

interface WordsOfCall extends PersonsWords {
  readonly toolUseId: string;
}

export interface RecordedCall {
  readonly name: string;
  readonly input: unknown;
}

/** What was said on a voice call, which Claude Code stores as a line of its own (2.1.326). */
export interface SpokenWords {
  readonly text: string;
  /** Said while the model was busy. */
  readonly isQueued: boolean;
}

export function spokenWords({ subtype, content, raw }: SystemRecord): SpokenWords | undefined {
  if (subtype !== VOICE_TALK) return undefined;
  const blocks = arrayAt(raw, "blocks").flatMap((block) => stringAt(block, "text") ?? []);
  return { text: content?.trim() ? content : blocks.join("\n"), isQueued: valueAt(raw, "fold") !== undefined };
}

export const VOICE_TALK = "voice_call_talk";

/** What a person said in the results of a record and next to them, as far as the record itself shows it. */
export function personsWordsIn(record: UserRecord): WordsOfCall[] {
  const results = record.blocks.filter((block) => block.kind === "toolResult");
  const last = results.at(-1);
  const inside = results.flatMap((result) =>
    wordsInside(record, result, results.length === 1).map((words) => ({ ...words, toolUseId: result.toolUseId })),
  );
  const beside = typedBeside(record).map(({ text }) => text.trim());
  if (!last || beside.length === 0) return inside;
  return [...inside, { ...feedback(beside.join("\n")), toolUseId: last.toolUseId }];
}

/** What a person said through a call. Where the result does not repeat an approved plan, the input has it. */
export function personsWordsOf(call: RecordedCall, record: UserRecord, result: ToolResultBlock): PersonsWords[] {
  const words = wordsByCall(record).get(result.toolUseId) ?? [];
  const plan = words.some(({ kind }) => kind === "plan") ? undefined : planOf(call);
  return plan === undefined || !isApproval(record, result)
    ? words
    : [{ kind: "plan", text: plan, question: null }, ...words];
}

/** Worked out once per record, which may have the results of many calls. */
const knownWords = new WeakMap<UserRecord, ReadonlyMap<string, PersonsWords[]>>();

function wordsByCall(record: UserRecord): ReadonlyMap<string, PersonsWords[]> {
  const known = knownWords.get(record);
  if (known) return known;
  const byCall = new Map<string, PersonsWords[]>();
  for (const { toolUseId, ...words } of personsWordsIn(record)) listAt(byCall, toolUseId).push(words);
  knownWords.set(record, byCall);
  return byCall;
}

/** The plan that a call puts to a person. */
export function planOf({ name, input }: RecordedCall): string | undefined {
  const plan = name === PLAN_TOOL ? stringAt(input, "plan") : undefined;
  return plan?.trim() ? plan : undefined;
}

export const PLAN_TOOL = "ExitPlanMode";

/** Whether a result of the plan tool says that a person approved; a plan may also wait for the lead of a team. */
export function isApproval({ toolUseResult }: UserRecord, { isError }: ToolResultBlock): boolean {
  return !isError && !isTrueAt(toolUseResult, "awaitingLeaderApproval");
}

/** The texts next to a result that a person typed when they were asked whether the call may run. */
export function typedBeside(record: UserRecord) {
  const hasError = record.blocks.some((block) => block.kind === "toolResult" && block.isError);
  if (!(hasError ? !isDecidedByProgram(record) : isApprovedByPerson(record))) return [];
  const texts = record.blocks.filter((block) => block.kind === "text");
  return texts.filter(({ text }) => text.trim() !== "" && !NOT_TYPED.test(text.trim()));
}

/** Texts that Claude Code puts next to a result. */
const NOT_TYPED = /^(?:<system-reminder>|<fork-boilerplate>|\[Request interrupted by user)/;

function isApprovedByPerson({ raw }: UserRecord): boolean {
  const isAccepted = stringAt(raw, "permissionDecision", "decision") === "accept";
  return isAccepted && (stringAt(raw, "permissionDecision", "source")?.startsWith("user") ?? false);
}

function isDecidedByProgram({ raw }: UserRecord): boolean {
  return stringAt(raw, "permissionDecision", "source")?.startsWith("user") === false;
}

/** How a refusal continues where the user said what to do instead (all versions up to 2.1.326). */
const FEEDBACK = "To tell you how to proceed, the user said:\n";

/** The fields of the record belong to a result if it is the only one, or repeats them. */
function wordsInside(record: UserRecord, result: ToolResultBlock, isOnly: boolean): PersonsWords[] {
  const said = stringAt(record.raw, "userFeedback") ?? "";
  if (said.trim() !== "" && (isOnly || result.text.includes(said))) return [feedback(said)];
  const at = result.isError ? result.text.indexOf(FEEDBACK) : -1;
  if (at >= 0) return [feedback(result.text.slice(at + FEEDBACK.length))];
  const answers = result.isError ? [] : answersIn(isOnly ? record.toolUseResult : undefined, result.text);
  if (answers.length > 0) return answers;
  const plan = isApproval(record, result) ? approvedPlan(isOnly ? record.toolUseResult : undefined, result.text) : "";
  if (plan.trim() !== "") return [{ kind: "plan", text: plan, question: null }];
  const isMarked = isOnly && record.raw["holdsPersonsWords"] === true && result.text.trim() !== "";
  return isMarked ? [feedback(result.text)] : [];
}

function feedback(text: string): PersonsWords {
  return { kind: "feedback", text, question: null };
}

const ANSWERED = /^(?:User has answered your questions|Your questions have been answered): ?/;

/** The note of Claude Code has the answers by question; without it the text has all of them. */
function answersIn(toolUseResult: unknown, text: string): PersonsWords[] {
  const answers = arrayAt(toolUseResult, "questions").length > 0 ? objectAt(toolUseResult, "answers") : undefined;
  const noted = Object.entries(answers ?? {}).flatMap(([question, answer]) => {
    const note = stringAt(valueAt(objectAt(toolUseResult, "annotations"), question), "notes");
    const said = [answerText(answer), note ?? ""].filter((part) => part.trim() !== "").join("\n");
    return said === "" ? [] : [{ kind: "answer" as const, text: said, question }];
  });
  if (noted.length > 0) return noted;
  return ANSWERED.test(text) ? [{ kind: "answer", text: text.replace(ANSWERED, ""), question: null }] : [];
}

/** Several choices are recorded as one text with commas or as a list. */
function answerText(answer: unknown): string {
  if (Array.isArray(answer)) return answer.filter((part) => typeof part === "string").join(", ");
  return typeof answer === "string" ? answer : "";
}

const APPROVED = "User has approved";
const PLAN_HEADING = /^## Approved Plan[^\n]*:\n/m;

function approvedPlan(toolUseResult: unknown, text: string): string {
  const isPlanNote = valueAt(toolUseResult, "isAgent") !== undefined;
  if (!isPlanNote && !text.startsWith(APPROVED)) return "";
  const heading = PLAN_HEADING.exec(text);
  return stringAt(toolUseResult, "plan") ?? (heading ? text.slice(heading.index + heading[0].length) : "");
}
