import type { Command } from "commander";
import { UserError } from "../errors.js";
import type { CommandContext, Io } from "./io.js";

export interface CommandModule {
  define(command: Command, context: CommandContext): void;
  /** For a command that must start fast and has no options: runs it without loading the option parser. Returns the exit code. */
  readonly runAtOnce?: (io: Io, args: readonly string[]) => Promise<number>;
}

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Loads the code of this command only. */
  load(): Promise<CommandModule>;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandEntry[];
}

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: "Browse",
    commands: [
      { name: "open", summary: "Open the web UI in the browser", load: () => import("./commands/browse/open.js") },
      {
        name: "list",
        summary: "List sessions, latest activity first",
        load: () => import("./commands/browse/list.js"),
      },
      { name: "search", summary: "Search across all sessions", load: () => import("./commands/browse/search.js") },
      {
        name: "show",
        summary: "Show a session: turns, tool calls, tokens, cost",
        load: () => import("./commands/browse/show.js"),
      },
      {
        name: "files",
        summary: "List the files a session touched; print a diff, restore a file",
        load: () => import("./commands/browse/files.js"),
      },
      {
        name: "blame",
        summary: "Show which turn, prompt and session wrote each line of a file",
        load: () => import("./commands/browse/blame.js"),
      },
      {
        name: "follow",
        summary: "Tail a session while it is written",
        load: () => import("./commands/browse/follow.js"),
      },
      {
        name: "live",
        summary: "Sessions that run now: working, waiting for you, stuck, ended",
        load: () => import("./commands/browse/live.js"),
      },
      {
        name: "stats",
        summary: "Tokens, cost, turns and tools by day, model and project",
        load: () => import("./commands/browse/stats.js"),
      },
      {
        name: "budget",
        summary: "Limits of what sessions may spend: warn, or stop Claude Code",
        load: () => import("./commands/budget/budget.js"),
      },
    ],
  },
  {
    title: "Share",
    commands: [
      {
        name: "export",
        summary: "Export a session as a file, redacted by default",
        load: () => import("./commands/browse/export.js"),
      },
      {
        name: "bundle",
        summary: "Pack sessions with all their files into one file for another machine",
        load: () => import("./commands/travel/bundle.js"),
      },
      {
        name: "import",
        summary: "Put the sessions of a bundle where Claude Code resumes them",
        load: () => import("./commands/travel/import.js"),
      },
      {
        name: "scan",
        summary: "Find secrets in sessions without printing them",
        load: () => import("./commands/maintain/scan.js"),
      },
    ],
  },
  {
    title: "Edit and resume",
    commands: [
      { name: "clone", summary: "Copy a session under a new id", load: () => import("./commands/edit/clone.js") },
      {
        name: "fork",
        summary: "Create a session from some turns or a branch of another",
        load: () => import("./commands/edit/fork.js"),
      },
      {
        name: "prune",
        summary: "Create a smaller copy: without tool output, thinking, images",
        load: () => import("./commands/edit/prune.js"),
      },
      {
        name: "compress",
        summary: "Create a copy with older turns summarized",
        load: () => import("./commands/edit/compress.js"),
      },
      {
        name: "uncompact",
        summary: "Create a copy in which a compaction is undone",
        load: () => import("./commands/edit/uncompact.js"),
      },
      { name: "redact", summary: "Create a copy without secrets", load: () => import("./commands/edit/redact.js") },
      {
        name: "repair",
        summary: "Fix whatever stops Claude Code from resuming a session",
        load: () => import("./commands/edit/repair.js"),
      },
      {
        name: "merge",
        summary: "Create a copy with turns of a branch or another session added",
        load: () => import("./commands/edit/merge.js"),
      },
      {
        name: "handoff",
        summary: "Write a brief to hand a session over",
        load: () => import("./commands/edit/handoff.js"),
      },
      {
        name: "diff",
        summary: "Compare two sessions or branches turn by turn",
        load: () => import("./commands/edit/diff.js"),
      },
      { name: "move", summary: "Move a session to another project", load: () => import("./commands/edit/move.js") },
      {
        name: "lineage",
        summary: "Show which session was created from which",
        load: () => import("./commands/edit/lineage.js"),
      },
      {
        name: "chat",
        summary: "Work with a model in this folder, recorded as a session",
        load: () => import("./commands/agent/chat.js"),
      },
    ],
  },
  {
    title: "Organize",
    commands: [
      { name: "title", summary: "Give a session your own title", load: () => import("./commands/organize/title.js") },
      { name: "tag", summary: "Tag a session, or list all tags", load: () => import("./commands/organize/tag.js") },
      {
        name: "favourite",
        summary: "Mark a session as a favourite",
        load: () => import("./commands/organize/favourite.js"),
      },
      { name: "note", summary: "Write a note about a session", load: () => import("./commands/organize/note.js") },
      {
        name: "delete",
        summary: "Move sessions to turnlog's trash",
        load: () => import("./commands/organize/delete.js"),
      },
      { name: "restore", summary: "Restore deleted sessions", load: () => import("./commands/organize/restore.js") },
      {
        name: "archive",
        summary: "Keep copies of sessions that Claude Code deletes",
        load: () => import("./commands/organize/archive.js"),
      },
      {
        name: "source",
        summary: "Add sessions from other folders, by name",
        load: () => import("./commands/organize/source.js"),
      },
      {
        name: "sync",
        summary: "Share sessions between your machines through a folder",
        load: () => import("./commands/organize/sync.js"),
      },
    ],
  },
  {
    title: "Connect",
    commands: [
      {
        name: "trace",
        summary: "Send turns as traces to Langfuse, any OpenTelemetry backend or a file",
        load: () => import("./commands/trace/trace.js"),
      },
      {
        name: "hook",
        summary: "Internal: entry point for Claude Code hooks",
        load: () => import("./commands/trace/hook.js"),
      },
      {
        name: "mock",
        summary: "Serve recorded answers as a Messages API, for any client, offline",
        load: () => import("./commands/agent/mock.js"),
      },
      {
        name: "mcp",
        summary: "MCP server that lets agents search and read past sessions",
        load: () => import("./commands/agent/mcp.js"),
      },
    ],
  },
  {
    title: "Maintain",
    commands: [
      { name: "verify", summary: "Check a session for problems", load: () => import("./commands/maintain/verify.js") },
      {
        name: "index",
        summary: "Show, update or rebuild the search index",
        load: () => import("./commands/maintain/index.js"),
      },
      { name: "doctor", summary: "Check your setup", load: () => import("./commands/maintain/doctor.js") },
      {
        name: "completion",
        summary: "Complete commands, options and sessions in bash, zsh or fish",
        load: () => import("./commands/maintain/completion.js"),
      },
    ],
  },
];

export const COMMANDS: readonly CommandEntry[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

export function findCommand(name: string): CommandEntry {
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry) return entry;
  const near = COMMANDS.find((command) => command.name.startsWith(name.slice(0, 2)));
  const hint = near ? `did you mean \`turnlog ${near.name}\`?` : "run `turnlog --help` for a list of commands";
  throw new UserError("usage", `unknown command: ${name}`, hint);
}
