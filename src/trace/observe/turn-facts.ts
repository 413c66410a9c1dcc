import { basename, win32 } from "node:path";
import { stringAt } from "../../format/json.js";
import type { TurnSource } from "./turn-source.js";

export function turnMetadata({ turn, number, start }: TurnSource, sessionId: string): Record<string, unknown> {
  const record = start && start.kind !== "broken" ? start : undefined;
  const known = {
    cwd: record?.cwd,
    git_branch: record?.gitBranch,
    client_version: record?.version,
    permission_mode: turn.permissionMode ?? undefined,
  };
  return {
    source: "claude-code",
    turn_number: number,
    session_id: sessionId,
    turn_kind: turn.kind,
    tool_count: turn.toolCalls.length,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
  };
}

/** The project, and the skills that were used: by command, or by the model itself. */
export function tagsOf({ turn, start }: TurnSource): string[] {
  const cwd = start && start.kind !== "broken" ? start.cwd : undefined;
  const project = cwd === undefined ? "" : cwd.includes("\\") ? win32.basename(cwd) : basename(cwd);
  const command = turn.kind === "command" ? /^\/(\S+)/.exec(turn.prompt)?.[1] : undefined;
  const skills = turn.toolCalls.flatMap(({ name, input }) =>
    name === "Skill" ? (stringAt(input, "skill") ?? stringAt(input, "command") ?? []) : [],
  );
  const used = [command, ...skills].filter((name) => name !== undefined);
  return [...(project === "" ? [] : [`project:${project}`]), ...new Set(used.map((name) => `skill:${name}`))];
}
