// Every edit, when it applies to a session, and what a client must then send of the source.
import { contextTurns, tell, tellPrompts } from "./expect.mjs";

const RECORDS = ["--images", "--progress", "--attachments", "--snapshots", "--sidechains", "--duplicates"];

/**
 * `args` gets the session as `tellSession` knows it; undefined: the edit does not apply to it. `expects` gets the same and lists
 * what must be in the request, in this order. Of a copy a client must send what it sends of the source. For `keeps`, `calls` and
 * `isKept` see compare.mjs.
 */
export const EDITS = [
  { name: "clone", args: () => ["clone"], isCopy: true },
  { name: "clone --keep-uuids", args: () => ["clone", "--keep-uuids"], isCopy: true },
  { name: "move --rewrite-cwd", args: () => ["move", "--rewrite-cwd"], isCopy: true },
  prune("light", ["--preset", "light"]),
  prune("normal", ["--preset", "normal"]),
  prune("heavy", ["--preset", "heavy"]),
  prune("extreme", ["--preset", "extreme"], "none"),
  // The recorded sessions are short: without these nearly all tools would stay as they are.
  prune("normal --keep-last 1", ["--preset", "normal", "--keep-last", "1"]),
  prune("heavy --keep-last 0", ["--preset", "heavy", "--keep-last", "0"]),
  prune("everything, stubbed", ["--tools", "stub", "--keep-last", "0", "--thinking", "all", ...RECORDS]),
  {
    name: "prune --to-tokens",
    args: ({ tokens }) => (tokens.after < tokens.before ? ["prune", "--to-tokens", middle(tokens)] : undefined),
    expects: (session) => tell(session.turns, session, { calls: "some" }),
    calls: "some",
  },
  compress("compress", []),
  compress("compress --keep-calls", ["--band", "0-80:light", "--keep-calls"]),
  compress("compress --per-turn", ["--per-turn"]),
  uncompact("uncompact", () => [], undoneLast),
  uncompact("uncompact --all", () => ["--all"], undoneAll),
  uncompact("uncompact --to-tokens", () => ["--all", "--to-tokens"], undoneAll),
  {
    name: "fork --at",
    args: ({ turns }) => (turns.length > 1 ? ["fork", "--at", String(halfOf(turns))] : undefined),
    expects: (session) => tell(session.turns.slice(0, halfOf(session.turns)), session, { results: "all" }),
    calls: "some",
    isKept: (line, { turns }) => line < (turns[halfOf(turns)]?.line ?? 0),
  },
  {
    name: "fork --from",
    args: ({ turns }) => (turns.length > 1 ? ["fork", "--from", String(halfOf(turns))] : undefined),
    expects: (session) => tell(session.turns.slice(halfOf(session.turns) - 1), session, { results: "all" }),
    calls: "some",
    isKept: (line, { turns }) => line >= turns[halfOf(turns) - 1].line,
  },
  {
    name: "fork --branch",
    args: ({ dead }) => dead && ["fork", "--branch", dead.leaf],
    expects: ({ dead, compactions }) => tell(dead.turns, { turns: dead.turns, compactions }, { results: "all" }),
    calls: "some",
    isKept: () => false,
  },
  {
    name: "merge --branch",
    args: ({ dead }) => (dead?.own.length ? ["merge", "--branch", dead.leaf] : undefined),
    expects: (session) => [
      ...tell(session.turns, session, { results: "all" }),
      ...tell(session.dead.own, NO_COMPACTION),
    ],
  },
  {
    name: "merge --from",
    args: ({ other }) => ["merge", "--from", other.path],
    expects: (session) => [
      ...tell(session.turns, session, { results: "all" }),
      ...tell(session.other.turns, NO_COMPACTION),
    ],
  },
  {
    name: "redact",
    args: () => ["redact"],
    expects: (session) => tell(session.turns, session, { words: "none" }),
    keeps: "none",
  },
  {
    name: "repair",
    args: () => ["repair", "--write"],
    expects: (session) => tell(session.turns, session, { results: "all" }),
  },
];

/** What was summed up is there again, and the summary is not; `undone` says which compactions are. */
function uncompact(name, args, undone) {
  const isPruned = args().includes("--to-tokens");
  return {
    name,
    args: (session) => {
      if (session.compactions.length === 0) return undefined;
      return ["uncompact", ...args(), ...(isPruned ? [String(Math.ceil(session.tokens.after * 1.1))] : [])];
    },
    expects: (session) => {
      const left = session.compactions.filter((it) => !undone(session).includes(it));
      const told = { turns: session.turns, compactions: left };
      return tell(session.turns, told, isPruned ? { calls: "some" } : { results: "all" });
    },
    calls: isPruned ? "some" : "all",
    lacks: (session) => {
      const left = session.compactions.filter((it) => !undone(session).includes(it)).map(({ summary }) => summary);
      return undone(session).flatMap(({ summary }) => (summary === null || left.includes(summary) ? [] : summary));
    },
    isStrict: true,
  };
}

function undoneLast({ compactions }) {
  return compactions.slice(-1);
}

/** Of what is no longer there, the summary stays. */
function undoneAll({ compactions, turns }) {
  return compactions.filter(({ line }) => turns.some((turn) => turn.line < line));
}

const NO_COMPACTION = { turns: [], compactions: [] };

function prune(name, args, calls = "all") {
  return {
    name: `prune ${name}`,
    args: () => ["prune", ...args],
    expects: (session) => tell(session.turns, session, { calls }),
    calls,
  };
}

/** What people said stays word by word, the last turn as it is. */
function compress(name, args) {
  return {
    name,
    args: (session) => (contextTurns(session.turns, session).length > 1 ? ["compress", ...args] : undefined),
    expects: (session) => [
      ...tellPrompts(session.turns.slice(0, -1), session),
      ...tell(session.turns.slice(-1), session, { results: "all" }),
    ],
    keeps: "people",
    calls: "some",
  };
}

function middle({ before, after }) {
  return String(Math.ceil((before + after) / 2));
}

function halfOf(turns) {
  return Math.ceil(turns.length / 2);
}
