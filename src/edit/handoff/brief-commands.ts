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

const BUILD =
  /\b(?:build|make|compile|cargo|gradlew?|mvn|bench\w*|migrat\w+|deploy\w*|install|mypy|ruff|eslint|clippy|fmt|docker|terraform|kubectl|curl)\b|\bgo (?:test|build|vet)\b|\bgit (?:commit|push|merge|rebase|tag|revert|cherry-pick)\b|\bgh (?:pr|run|release)\b/;
const LOOKING =
  /^(?:rg|grep|egrep|cat|ls|find|head|tail|sed -n|echo|which|file|wc|git (?:log|diff|status|show|blame))\b/;

/** The commands of a session that test, build, publish or the like: each once, the newest last. */
export function collectCommands() {
  const commands = new Map<string, BriefCommand>();
  return {
    add(call: ToolCall, turn: number): void {
      if (call.name !== "Bash") return;
      const command = nameOf(stringAt(call.input, "command") ?? "");
      if (LOOKING.test(command) || (!TEST.test(command) && !BUILD.test(command))) return;
      const runs = (commands.get(command)?.runs ?? 0) + 1;
      commands.delete(command);
      const told = call.status === "denied" ? "" : tellingLines(call);
      commands.set(command, { command, runs, turn, status: call.status, told });
    },
    get items(): readonly BriefCommand[] {
      return [...commands.values()];
    },
  };
}

/** Without the folder it was run in, the text it was given, and what only shortened its output. */
function nameOf(command: string): string {
  return withoutHereDocuments(command.trim())
    .replace(/^cd \S+ && /, "")
    .replace(/\s*(?:2>&1)?\s*\|\s*(?:tail|head)\b.*$/s, "")
    .replace(/\bgit add [^&;]*&& (?=git commit\b)/, "");
}

const RESULT_BYTES = 20_000;
const COMMIT = /^\[(\S+(?: \(root-commit\))?) ([0-9a-f]{7,40})\] .*$/;

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
