import type { Command } from "commander";
import { UserError } from "../errors.js";
import type { CommandContext, Io } from "./io.js";

export interface CommandModule {
  define(command: Command, context: CommandContext): void;
  /** For what the client waits for: it has no options, and what reads them is not loaded. Returns the exit code. */
  readonly runAtOnce?: (io: Io) => Promise<number>;
}

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Only the chosen command's code is loaded. */
  load(): Promise<CommandModule>;
}

export const COMMANDS: readonly CommandEntry[] = [
  { name: "open", summary: "the page: all sessions in the browser", load: () => import("./commands/browse/open.js") },
  { name: "list", summary: "sessions, latest activity first", load: () => import("./commands/browse/list.js") },
  { name: "search", summary: "find words in all sessions", load: () => import("./commands/browse/search.js") },
  {
    name: "show",
    summary: "one session: turns, tool calls, tokens, cost",
    load: () => import("./commands/browse/show.js"),
  },
  {
    name: "files",
    summary: "what a session did with files; diff and restore",
    load: () => import("./commands/browse/files.js"),
  },
  { name: "follow", summary: "a session while it is written", load: () => import("./commands/browse/follow.js") },
  {
    name: "stats",
    summary: "tokens, cost, turns, tools: by day, model, project",
    load: () => import("./commands/browse/stats.js"),
  },
  {
    name: "export",
    summary: "a session as a file, without its secrets",
    load: () => import("./commands/browse/export.js"),
  },
  { name: "clone", summary: "a copy of a session under a new id", load: () => import("./commands/edit/clone.js") },
  {
    name: "fork",
    summary: "a new session of some turns, or of a branch, of another",
    load: () => import("./commands/edit/fork.js"),
  },
  {
    name: "prune",
    summary: "a copy of a session with less in its context: tools, thinking, images",
    load: () => import("./commands/edit/prune.js"),
  },
  {
    name: "compress",
    summary: "a copy of a session whose older turns are summaries",
    load: () => import("./commands/edit/compress.js"),
  },
  {
    name: "redact",
    summary: "a copy of a session without its secrets, to go on with",
    load: () => import("./commands/edit/redact.js"),
  },
  {
    name: "repair",
    summary: "what is wrong with a session, put right in a new one",
    load: () => import("./commands/edit/repair.js"),
  },
  {
    name: "merge",
    summary: "turns of a side branch or another session, in a new one",
    load: () => import("./commands/edit/merge.js"),
  },
  { name: "diff", summary: "two sessions or branches, turn by turn", load: () => import("./commands/edit/diff.js") },
  { name: "move", summary: "a session to another project", load: () => import("./commands/edit/move.js") },
  { name: "lineage", summary: "which session was made of which", load: () => import("./commands/edit/lineage.js") },
  { name: "title", summary: "your own title for a session", load: () => import("./commands/organize/title.js") },
  { name: "tag", summary: "your tags of a session, or all tags", load: () => import("./commands/organize/tag.js") },
  {
    name: "favourite",
    summary: "marks a session as a favourite",
    load: () => import("./commands/organize/favourite.js"),
  },
  { name: "note", summary: "your note on a session", load: () => import("./commands/organize/note.js") },
  { name: "delete", summary: "moves sessions to the trash", load: () => import("./commands/organize/delete.js") },
  { name: "restore", summary: "puts a deleted session back", load: () => import("./commands/organize/restore.js") },
  {
    name: "archive",
    summary: "keeps copies of sessions that the client deletes",
    load: () => import("./commands/organize/archive.js"),
  },
  {
    name: "source",
    summary: "further folders with sessions, by name",
    load: () => import("./commands/organize/source.js"),
  },
  { name: "verify", summary: "what is wrong with a session", load: () => import("./commands/maintain/verify.js") },
  {
    name: "index",
    summary: "the search index: what it holds, bring it up to date",
    load: () => import("./commands/maintain/index.js"),
  },
  {
    name: "mcp",
    summary: "lets an agent ask about past sessions (Model Context Protocol)",
    load: () => import("./commands/agent/mcp.js"),
  },
  {
    name: "trace",
    summary: "turns as traces: to Langfuse, any OpenTelemetry backend, or a file",
    load: () => import("./commands/trace/trace.js"),
  },
  { name: "hook", summary: "what the client's hooks call for `trace`", load: () => import("./commands/trace/hook.js") },
  {
    name: "chat",
    summary: "works with a model in this folder, recorded as a session",
    load: () => import("./commands/agent/chat.js"),
  },
  { name: "doctor", summary: "whether turnlog has what it needs", load: () => import("./commands/maintain/doctor.js") },
  {
    name: "scan",
    summary: "secrets in the sessions, without showing them",
    load: () => import("./commands/maintain/scan.js"),
  },
];

export function findCommand(name: string): CommandEntry {
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry) return entry;
  const near = COMMANDS.find((command) => command.name.startsWith(name.slice(0, 2)));
  const hint = near ? `did you mean \`turnlog ${near.name}\`?` : "`turnlog --help` lists the commands";
  throw new UserError("usage", `unknown command: ${name}`, hint);
}
