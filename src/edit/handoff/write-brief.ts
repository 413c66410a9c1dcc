import type { FileSummary } from "../../session/file-history/file-touches.js";
import type { BriefCommand } from "./brief-commands.js";
import type { BriefFacts, BriefItem, BriefStep } from "./gather-brief.js";

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
  const { goal, request, state, constraints, decisions, findings, course, commands, open } = facts;
  return [
    { title: "Session", entries: describePlace(place), longest: 400, most: 99, keeps: "first" },
    { title: "Goal", entries: goal ? [goal.text] : [], longest: 700, most: 1, keeps: "first" },
    { title: "Last request", entries: request ? [describeItem(request)] : [], longest: 500, most: 1, keeps: "first" },
    { title: "Where it stands", entries: state === "" ? [] : [state], longest: 1100, most: 1, keeps: "first" },
    {
      title: "Open points",
      entries: [...describeNotCommitted(facts, place), ...open],
      longest: 220,
      most: 12,
      keeps: "first",
    },
    { title: "Constraints", entries: constraints.map(describeItem), longest: 240, most: 10, keeps: "ends" },
    { title: "Decisions", entries: decisions.map(describeItem), longest: 420, most: 10, keeps: "newest" },
    { title: "Findings", entries: findings.map(describeItem), longest: 200, most: 6, keeps: "newest" },
    {
      title: "Files changed",
      entries: describeFiles(files, facts),
      longest: 120,
      most: 16,
      keeps: "newest",
    },
    { title: "Commands", entries: commands.map(describeCommand), longest: 240, most: 8, keeps: "newest" },
    {
      title: "Course",
      entries: course.map((step) => describeStep(step, state)),
      longest: 240,
      most: 20,
      keeps: "ends",
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
  { shellFiles, changedNames }: Pick<BriefFacts, "shellFiles" | "changedNames">,
): string[] {
  const changed = files.filter(({ writes, edits }) => writes + edits > 0);
  const known = new Set(changed.flatMap(({ path, name }) => [path, name]));
  const last = (turns: readonly number[]) => turns.at(-1) ?? 0;
  return [
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

function describeCommand({ command, runs, turn, status, told }: BriefCommand): string {
  const how = status === "ok" ? "ok" : status;
  const often = runs > 1 ? `, ${runs} runs` : "";
  return `\`${oneLine(command)}\`: ${how} (turn ${turn}${often})${told === "" ? "" : `: ${oneLine(told)}`}`;
}

function describeStep({ turn, asked, outcome, said: answer }: BriefStep, state: string): string {
  const said = answer !== "" && state.endsWith(answer) ? outcome.replace(answer, "(see above)") : oneLine(outcome);
  return `Turn ${turn}: ${cut(oneLine(asked), 240)}${said === "" ? "" : ` → ${said}`}`;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** At `scale` 1 every section has its usual size; at more than 1 more entries, at less than 1 fewer and shorter ones. */
function render(title: string, drafts: readonly Draft[], scale: number): Brief {
  let leftOut = 0;
  const sections = drafts.flatMap(({ title: name, entries, longest, most, keeps }, at): BriefSection[] => {
    if (entries.length === 0) return [];
    const isFixed = at === 0;
    const count = isFixed ? entries.length : Math.min(entries.length, Math.max(1, Math.round(most * scale)));
    const width = isFixed ? longest : Math.round(longest * Math.min(3, Math.max(0.25, scale)));
    leftOut += entries.length - count;
    return [{ title: name, lines: choose(entries, count, keeps).map((entry) => cut(entry, width)) }];
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

function cut(text: string, longest: number): string {
  const whole = text.trim();
  if (whole.length <= longest) return whole;
  const short = whole.slice(0, longest).toWellFormed();
  const space = short.lastIndexOf(" ");
  return `${space > longest * 0.7 ? short.slice(0, space) : short} …`;
}
