import { stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { TEST, withoutHereDocuments } from "../compress/describe-work.js";

/** A command that matters, with how it ended last. */
export interface BriefCommand {
  readonly command: string;
  readonly runs: number;
  readonly turn: number;
  readonly status: ToolCall["status"];
  readonly told: string;
}

/** A commit that a command reported. */
export interface BriefCommit {
  readonly hash: string;
  readonly subject: string;
  readonly turn: number;
}

const BUILD =
  /\b(?:build|make|compile|cargo|gradlew?|mvn|bench\w*|migrat\w+|deploy\w*|install|mypy|ruff|eslint|clippy|fmt|docker|terraform|kubectl|curl)\b|\bgo (?:test|build|vet)\b|\bgit (?:commit|push|merge|rebase|tag|revert|cherry-pick)\b|\bgh (?:pr|run|release)\b/;
const LOOKING =
  /^(?:rg|grep|egrep|cat|ls|find|head|tail|sed -n|echo|which|file|wc|git (?:log|diff|status|show|blame))\b/;

/** The commands of a session that test, build, publish or the like: each once, the newest last. */
export function collectCommands() {
  const commands = new Map<string, BriefCommand>();
  const commits = new Map<string, BriefCommit>();
  return {
    add(call: ToolCall, turn: number): void {
      if (call.name !== "Bash") return;
      const made = commitsOf(call);
      for (const { hash, subject } of made) commits.set(hash, { hash, subject, turn });
      const command = nameOf(stringAt(call.input, "command") ?? "");
      if (made.length > 0 && call.status === "ok" && /^git (?:-\S+ )*commit\b/.test(command)) return;
      if (LOOKING.test(command) || (!TEST.test(command) && !BUILD.test(command))) return;
      const runs = (commands.get(command)?.runs ?? 0) + 1;
      commands.delete(command);
      const told = call.status === "denied" ? "" : tellingLines(call);
      commands.set(command, { command, runs, turn, status: call.status, told });
    },
    get items(): readonly BriefCommand[] {
      return [...commands.values()];
    },
    /** In the order in which they were made. */
    get commits(): readonly BriefCommit[] {
      return [...commits.values()];
    },
  };
}

/** Each commit with its hash, as git reports it. */
function commitsOf({ input, result }: ToolCall): Pick<BriefCommit, "hash" | "subject">[] {
  if (!/\bgit (?:-\S+ )*(?:commit|cherry-pick|revert|merge)\b/.test(stringAt(input, "command") ?? "")) return [];
  return (result ?? "")
    .slice(0, RESULT_BYTES)
    .split("\n")
    .flatMap((line) => {
      const [, , hash = "", subject = ""] = COMMIT.exec(line.trim()) ?? [];
      return hash === "" ? [] : [{ hash, subject }];
    });
}

/** Of a message in a here document, its subject. */
function withSubject(command: string): string {
  return command.replace(
    /"?\$\(cat <<-?\s*["']?(\w+)["']?\n\s*([^\n]*)\n[\s\S]*?\n?\s*\1\s*\)"?|(-F\s*-)\s*<<-?\s*["']?(\w+)["']?\n\s*([^\n]*)\n[\s\S]*?\n?\s*\4\b/g,
    (_, __, subject?: string, ___?: string, ____?: string, other?: string) => `"${subject ?? other ?? ""}"`,
  );
}

/** Without the folder it was run in, the text it was given, and what only shortened its output. */
function nameOf(command: string): string {
  return withoutHereDocuments(withSubject(command.trim()))
    .replace(/^cd \S+ && /, "")
    .replace(/\s*(?:2>&1)?\s*\|\s*(?:tail|head)\b.*$/s, "")
    .replace(/\bgit add [^&;]*&& (?=git commit\b)/, "");
}

const RESULT_BYTES = 20_000;
const COMMIT = /^\[([^\s\]]+(?: HEAD)?(?: \(root-commit\))?) ([0-9a-f]{7,40})\] (.*)$/;

/** What a command said of its outcome: commits, addresses, the lines that count or name failures, else the last one. */
function tellingLines({ result }: ToolCall): string {
  const lines = (result ?? "")
    .slice(-RESULT_BYTES)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const made = lines.filter((line) => COMMIT.test(line) || /^https:\/\/\S+$/.test(line));
  if (made.length > 0) return made.slice(-2).join(" / ");
  const telling = lines.filter(
    (line) => /\b(?:fail\w*|passed|error\w*|ok|warnings?|panick\w*)\b/i.test(line) && line.length < 240,
  );
  return (telling.length > 0 ? telling : lines).slice(-2).join(" / ");
}
