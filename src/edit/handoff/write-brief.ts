import type { FileSummary } from "../../session/file-history/file-touches.js";
import type { BriefCommand, BriefCommit } from "./brief-commands.js";
import { isWithin } from "./brief-files.js";
import type { BriefItem } from "./brief-goal.js";
import type { BriefStep } from "./brief-open.js";
import type { BriefFacts } from "./gather-brief.js";
import { cutMiddle, outcomeOf, shortenAnswer } from "./shorten-text.js";

/** Where the session is, and what it was. */
export interface BriefPlace {
  readonly title: string;
  readonly project: string | null;
  readonly gitBranch: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly turns: string;
  readonly pullRequests: readonly string[];
  readonly path: string;
  readonly resume: string | null;
}

export interface BriefSection {
  readonly title: string;
  readonly lines: readonly string[];
}

export interface Brief {
  readonly title: string;
  readonly sections: readonly BriefSection[];
  /** How many entries were left out to keep it short. */
  readonly leftOut: number;
  readonly markdown: string;
  readonly tokens: number; // an estimate
}

interface Draft {
  readonly title: string;
  readonly entries: readonly string[];
  /** Characters of an entry, at full size. */
  readonly longest: number;
  /** Entries, at full size. */
  readonly most: number;
  /** Where there is no room: the newest stay, or the first. */
  readonly keeps: "newest" | "first" | "ends";
  /** How an entry is made short; the middle goes where nothing else is said. */
  readonly shorten?: (entry: string, longest: number) => string;
}

const BYTES_PER_TOKEN = 4;

/** A brief by a model: the session's place is told by rules, because the model did not see all of it. */
export function writeModelBrief(answer: string, place: BriefPlace, clean: (text: string) => string): Brief | undefined {
  const told = sectionsOf(answer).map(({ title, lines }) => ({ title: clean(title), lines: lines.map(clean) }));
  if (told.length === 0) return undefined;
  const title = clean(`Hand-off: ${oneLine(place.title)}`);
  const session = { title: "Session", lines: describePlace(place).map(clean) };
  const head = toMarkdown(title, [session], 0).trimEnd();
  const parts = told.map(({ title: name, lines }) => `## ${name}\n\n${lines.join("\n")}`);
  const markdown = `${[head, ...parts].join("\n\n")}\n`;
  return { title, sections: [session, ...told], leftOut: 0, markdown, tokens: tokensOf(markdown) };
}

/** What stands below each heading; code is no heading. */
function sectionsOf(markdown: string): BriefSection[] {
  const sections: { title: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.trim().split("\n")) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const [, heading] = (!isCode && /^#{1,2}\s+(.+?)[\s#]*$/.exec(line)) || [];
    if (heading !== undefined) sections.push({ title: heading, lines: [] });
    else sections.at(-1)?.lines.push(line.trimEnd());
  }
  return sections
    .map(({ title, lines }) => ({ title, lines: trimLines(lines) }))
    .filter(({ lines }) => lines.length > 0);
}

function trimLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line !== "");
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== "") + 1);
}

/** As much of it as fits: every section gets shorter, entry by entry, until the estimate is at most `maxTokens`. */
export function writeBrief(
  facts: BriefFacts,
  files: readonly FileSummary[],
  place: BriefPlace,
  maxTokens: number,
  clean: (text: string) => string,
): Brief {
  const drafts = draftSections(facts, files, place).map((draft) => ({ ...draft, entries: draft.entries.map(clean) }));
  const title = clean(`Hand-off: ${oneLine(place.title)}`);
  const of = (scale: number) => render(title, drafts, scale);
  if (of(LARGEST).tokens <= maxTokens) return of(LARGEST);
  let [low, high] = [0, LARGEST];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (of(middle).tokens <= maxTokens) low = middle;
    else high = middle;
  }
  return of(low);
}

const LARGEST = 16;
const STEPS = 12;

function draftSections(facts: BriefFacts, files: readonly FileSummary[], place: BriefPlace): Draft[] {
  const { goal, request, state, constraints, decisions, findings, course, commands, commits, open } = facts;
  return [
    { title: "Session", entries: describePlace(place), longest: 400, most: 99, keeps: "first" },
    { title: "Goal", entries: goal ? [goal.text] : [], longest: 700, most: 1, keeps: "first" },
    { title: "Last request", entries: request ? [describeItem(request)] : [], longest: 500, most: 1, keeps: "first" },
    {
      title: "Where it stands",
      entries: state === "" ? [] : [state],
      longest: 1100,
      most: 1,
      keeps: "first",
      shorten: shortenAnswer,
    },
    {
      title: "Open points",
      entries: [...open, ...describeNotCommitted(facts, place)],
      longest: 300,
      most: 12,
      keeps: "first",
    },
    { title: "Constraints", entries: constraints.map(describeItem), longest: 240, most: 10, keeps: "ends" },
    { title: "Decisions", entries: decisions.map(describeItem), longest: 420, most: 10, keeps: "newest" },
    { title: "Findings", entries: findings.map(describeItem), longest: 200, most: 10, keeps: "newest" },
    {
      title: "Files changed",
      entries: describeFiles(files, facts),
      longest: 120,
      most: 16,
      keeps: "newest",
    },
    { title: "Commits", entries: commits.map(describeCommit), longest: 120, most: 12, keeps: "newest" },
    { title: "Commands", entries: commands.map(describeCommand), longest: 240, most: 8, keeps: "newest" },
    {
      title: "Course",
      entries: course.map((step) => describeStep(step, state)),
      longest: 300,
      most: 20,
      keeps: "ends",
      shorten: shortenStep,
    },
  ];
}

function describeNotCommitted({ notCommitted }: BriefFacts, { project }: BriefPlace): string[] {
  const names = notCommitted.map((path) => (path.startsWith(`${project}/`) ? path.slice(`${project}/`.length) : path));
  return names.length > 0 ? [`Changed after the last commit: ${names.join(", ")}`] : [];
}

function describePlace(place: BriefPlace): string[] {
  const { project, gitBranch, startedAt, endedAt, turns, pullRequests, path, resume } = place;
  const day = (time: string) => `${time.slice(0, 16).replace("T", " ")} UTC`;
  const branch = gitBranch ? ` (git branch ${gitBranch})` : "";
  return [
    ...(project ? [`Project: ${project}${branch}`] : []),
    `${turns}${startedAt && endedAt ? `, ${day(startedAt)} to ${day(endedAt)}` : ""}`,
    ...(pullRequests.length > 0 ? [`Pull requests: ${pullRequests.join(", ")}`] : []),
    `Full transcript: ${path}`,
    ...(resume ? [`Resume: ${resume}`] : []),
  ];
}

function describeItem({ turn, text }: BriefItem): string {
  return `${oneLine(text)} (turn ${turn})`;
}

function describeFiles(
  files: readonly FileSummary[],
  { shellFiles, removedFiles, changedNames }: Pick<BriefFacts, "shellFiles" | "removedFiles" | "changedNames">,
): string[] {
  const isGone = (path: string, name: string | null) =>
    removedFiles.some((gone) => isWithin(path, gone) || (name !== null && isWithin(name, gone)));
  const changed = files.filter(({ writes, edits, path, name }) => writes + edits > 0 && !isGone(path, name));
  const known = new Set(changed.flatMap(({ path, name }) => [path, name]));
  const last = (turns: readonly number[]) => turns.at(-1) ?? 0;
  return [
    ...removedFiles.map((path) => `${path}: removed`),
    ...shellFiles.filter((path) => !known.has(path)).map((path) => `${path}: by a shell command`),
    ...changed
      .toSorted((a, b) => last(a.turns) - last(b.turns))
      .map(({ path, name, isNew, added, removed, turns, failed }) => {
        const lines = added === null || removed === null ? "" : ` +${added} -${removed}`;
        const marks = `${isNew ? ", new" : ""}${failed > 0 ? `, failed calls: ${failed}` : ""}`;
        const names = changedNames(path);
        const what = names.length > 0 ? `: ${names.join(", ")}` : "";
        return `${name ?? path}:${lines}${marks} (turn ${turns.join(", ")})${what}`;
      }),
  ];
}

function describeCommit({ hash, subject, turn }: BriefCommit): string {
  return `${hash} ${subject} (turn ${turn})`;
}

function describeCommand({ command, runs, turn, status, told }: BriefCommand): string {
  const how = status === "ok" ? "ok" : status;
  const often = runs > 1 ? `, ${runs} runs` : "";
  return `\`${oneLine(command)}\`: ${how} (turn ${turn}${often})${told === "" ? "" : `: ${oneLine(told)}`}`;
}

const ARROW = "\n→ ";

/** The request in one line, then the answer as it is, for `shortenStep`. */
function describeStep({ turn, asked, outcome, said: answer }: BriefStep, state: string): string {
  const said = answer !== "" && state.endsWith(answer) ? outcome.replace(answer, () => "(see above)") : outcome;
  return `Turn ${turn}: ${oneLine(asked)}${said === "" ? "" : `${ARROW}${said}`}`;
}

/** At most two fifths for what was asked: the outcome counts. */
function shortenStep(step: string, longest: number): string {
  const at = step.indexOf(ARROW);
  if (at === -1) return cutMiddle(step, longest);
  const asked = cutMiddle(step.slice(0, at), Math.round(longest * 0.4));
  return `${asked} → ${outcomeOf(step.slice(at + ARROW.length), longest - asked.length)}`;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** At `scale` 1 every section has its usual size; at more than 1 more entries, at less than 1 fewer and shorter ones. */
function render(title: string, drafts: readonly Draft[], scale: number): Brief {
  let leftOut = 0;
  const sections = drafts.flatMap((draft, at): BriefSection[] => {
    const { title: name, entries, longest, most, keeps, shorten = cutMiddle } = draft;
    if (entries.length === 0) return [];
    const isFixed = at === 0;
    const count = isFixed ? entries.length : Math.min(entries.length, Math.max(1, Math.round(most * scale)));
    const width = isFixed ? longest : Math.round(longest * Math.min(3, Math.max(0.25, scale)));
    leftOut += entries.length - count;
    return [{ title: name, lines: choose(entries, count, keeps).map((entry) => shorten(entry, width)) }];
  });
  const markdown = toMarkdown(title, sections, leftOut);
  return { title, sections, leftOut, markdown, tokens: tokensOf(markdown) };
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

const MOST_OF_BEGINNING = 3; // entries

function choose(entries: readonly string[], count: number, keeps: Draft["keeps"]): readonly string[] {
  if (keeps === "first") return entries.slice(0, count);
  if (keeps === "newest") return entries.slice(-count);
  const first = Math.min(MOST_OF_BEGINNING, Math.floor(count / 3));
  return [...entries.slice(0, first), ...entries.slice(entries.length - (count - first))];
}

/** Single texts stand as they are, as a quote; several are a list. */
function toMarkdown(title: string, sections: readonly BriefSection[], leftOut: number): string {
  const parts = sections.map(({ title: name, lines }) => {
    const isQuote = name === "Goal" || name === "Where it stands";
    const body = lines.map((line) => (isQuote ? quote(line) : `- ${line}`)).join("\n");
    return `## ${name}\n\n${body}`;
  });
  const end = leftOut === 0 ? [] : [`${leftOut} more entries are in the full transcript.`];
  return `${[`# ${title}`, ...parts, ...end].join("\n\n")}\n`;
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}
