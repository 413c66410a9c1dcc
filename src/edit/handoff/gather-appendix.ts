import type { FileSummary } from "../../session/file-history/file-touches.js";
import type { Usage } from "../../session/messages/usage.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { gatherBrief } from "./gather-brief.js";

/** What a reviewer of a pull request wants to know of the sessions that made it. */
export interface Appendix {
  readonly pullRequest: string; // owner/repo#218
  readonly url: string | null;
  readonly totals: AppendixTotals;
  /** Oldest first. */
  readonly sessions: readonly AppendixSession[];
  /** Entries that were left out, and texts that were cut, to keep it short. */
  readonly leftOut: number;
}

export interface AppendixTotals {
  readonly sessions: number;
  readonly turns: number;
  readonly usage: Usage;
  /** Null: the price of a model is not known. */
  readonly costUsd: number | null;
}

/** What stands in the list of sessions. */
export interface AppendixPlace {
  readonly id: string;
  readonly title: string;
  readonly project: string | null;
  readonly gitBranch: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly turns: number;
  readonly costUsd: number | null;
  /** Other pull requests that it is linked to: what it did need not be for this one. */
  readonly otherPullRequests: readonly string[];
  readonly commits: readonly { readonly sha: string; readonly subject: string | null; readonly at: string | null }[];
}

export interface AppendixSession extends AppendixPlace {
  readonly prompts: readonly AppendixText[];
  /** Answers to questions, plans and what became of them, words on refused calls. */
  readonly decisions: readonly AppendixText[];
  readonly files: readonly AppendixFile[];
  readonly tests: readonly AppendixTest[];
}

export interface AppendixText {
  readonly turn: number;
  readonly at: string | null;
  readonly text: string;
}

export type AppendixFile = Pick<FileSummary, "path" | "name" | "isNew" | "added" | "removed">;

/** A command that runs tests, with how it ended last. */
export interface AppendixTest {
  readonly command: string;
  readonly runs: number;
  readonly status: ToolCall["status"];
  /** The lines that count or name failures. */
  readonly told: string;
}

/** Characters of one text, and entries of one list in one session. */
const LONGEST_TEXT = 3000;
const LONGEST_NAME = 400;
const MOST = { prompts: 100, decisions: 60, files: 200, tests: 40, commits: 100 } as const;
/** Characters of all sessions together. What one does not need is there for those after it. */
const ROOM = 150_000;

/** Takes entries until the appendix is full, redacts each as a whole and then cuts it. */
export interface AppendixRoom {
  /** Makes the room of one more session. */
  grow(): void;
  take<Entry>(entries: readonly Entry[], most: number, shorten: (entry: Entry, short: Shorten) => Entry): Entry[];
  readonly leftOut: number;
}

type Shorten = (text: string, longest?: number) => string;

export function openAppendixRoom(sessions: number, clean: (text: string) => string): AppendixRoom {
  let [left, leftOut] = [0, 0];
  const short: Shorten = (text, longest = LONGEST_NAME) => {
    const whole = clean(text).trim();
    if (whole.length > longest) leftOut += 1;
    const kept = whole.length > longest ? `${whole.slice(0, longest).toWellFormed()} …` : whole;
    left -= kept.length;
    return kept;
  };
  return {
    grow() {
      left += ROOM / sessions;
    },
    take(entries, most, shorten) {
      const taken: (typeof entries)[number][] = [];
      for (const entry of entries) {
        if (left <= 0 || taken.length >= most) break;
        taken.push(shorten(entry, short));
      }
      leftOut += entries.length - taken.length;
      return taken;
    },
    get leftOut() {
      return leftOut;
    },
  };
}

export interface AppendixSource {
  readonly place: AppendixPlace;
  readonly turns: Iterable<Turn>;
  /** Those of its sub-agents, in which tests may have run too. */
  readonly agentTurns: Iterable<Turn>;
  readonly files: readonly FileSummary[];
}

/** One turn in memory at a time. */
export function gatherAppendixSession(source: AppendixSource, room: AppendixRoom): AppendixSession {
  room.grow();
  const prompts: AppendixText[] = [];
  const times = new Map<number, string | null>();
  const own = gatherBrief(noting(source.turns, prompts, times));
  const ofAgents = gatherBrief(source.agentTurns);
  const tests = [...own.commands, ...ofAgents.commands].filter(({ command }) => runsTests(command));
  const changed = source.files.filter(({ writes, edits }) => writes + edits > 0);
  const decisions = own.decisions.map(({ turn, text }) => ({ turn, at: times.get(turn) ?? null, text }));
  const { place } = source;
  return {
    ...shortPlace(place, room),
    commits: room.take(place.commits, MOST.commits, (commit, short) => ({
      ...commit,
      subject: commit.subject === null ? null : short(commit.subject),
    })),
    prompts: room.take(prompts, MOST.prompts, shortText),
    decisions: room.take(decisions, MOST.decisions, shortText),
    files: room.take(changed.map(toAppendixFile), MOST.files, ({ path, name, ...file }, short) => ({
      path: short(path),
      name: name === null ? null : short(name),
      ...file,
    })),
    tests: room.take(
      tests.map(({ command, runs, status, told }) => ({ command, runs, status, told })),
      MOST.tests,
      (test, short) => ({ ...test, command: short(test.command), told: short(test.told) }),
    ),
  };
}

const BEFORE = /^(?:(?:[A-Z_]\w*=\S*|nice|time|timeout|env|sudo|-\S+|\d+[smh]?)\s+)*/;
const SCRIPT =
  /^(?:npm|pnpm|yarn|bun|make|just|rake)\s(?:.*\s)?(?:(?:run|exec|-\S+)\s+)*[\w:./-]*(?:test|check|lint|spec|vitest|jest|tsc)/;
const RUNNER =
  /^(?:(?:npx|bunx|uv run|poetry run|bundle exec|python3? -m)\s+(?:-\S+\s+)*)?(?:\S*\/)?(?:vitest|jest|mocha|ava|tap|playwright|cypress|pytest|tox|nox|unittest|rspec|phpunit|ctest|tsc|eslint|biome|ruff|mypy|(?:node|deno|cargo|go|mix|swift|dotnet|bazel|mvnw?|gradlew?|sbt|zig)\s(?:.*\s)?(?:--?test|test|check|clippy|vet|verify|nextest)\b|\S*(?:run[-_]?tests?|tests?)\.(?:sh|py|js|mjs)\b)/;

/** Whether a part of a command line starts tests or checks; naming a test's file is not enough. */
function runsTests(command: string): boolean {
  const parts = command.slice(0, LONGEST_TEXT).split(/&&|\|\||[;|\n(]/);
  return parts.map((part) => part.trim().replace(BEFORE, "")).some((part) => SCRIPT.test(part) || RUNNER.test(part));
}

function shortPlace(place: AppendixPlace, room: AppendixRoom): AppendixPlace {
  const [short = place] = room.take([place], 1, (whole, shorten) => ({
    ...whole,
    title: shorten(whole.title),
    project: whole.project === null ? null : shorten(whole.project),
    gitBranch: whole.gitBranch === null ? null : shorten(whole.gitBranch),
    otherPullRequests: whole.otherPullRequests.slice(0, MOST.commits).map((name) => shorten(name)),
  }));
  return short;
}

function shortText(text: AppendixText, short: Shorten): AppendixText {
  return { ...text, text: short(text.text, LONGEST_TEXT) };
}

function toAppendixFile({ path, name, isNew, added, removed }: FileSummary): AppendixFile {
  return { path, name, isNew, added, removed };
}

/** What people asked; notices of the client are no prompts. */
function* noting(turns: Iterable<Turn>, prompts: AppendixText[], times: Map<number, string | null>): Generator<Turn> {
  for (const turn of turns) {
    const { index, kind, prompt, followUps, startedAt } = turn;
    times.set(index, startedAt);
    const words = kind === "notification" ? [] : [prompt, ...followUps.map((followUp) => followUp.prompt)];
    for (const text of words) if (text.trim() !== "") prompts.push({ turn: index, at: startedAt, text });
    yield turn;
  }
}
