import { VERSION } from "../../app/version.js";
import type { Io } from "../io.js";
import { COMMAND_GROUPS } from "../registry.js";
import { type CommandDescription, describeCommand } from "./describe-command.js";

/** In the language of man: each command with its help, so that the page says what the program says. */
export async function manPage(io: Io): Promise<string> {
  const groups: string[] = [];
  for (const { title, commands } of COMMAND_GROUPS) {
    const described = await Promise.all(commands.map((entry) => describeCommand(entry, io)));
    groups.push(`.SH ${title.toUpperCase()}`, ...described.map((command) => section(command, command.name)));
  }
  return `.TH TURNLOG 1 "" "turnlog ${VERSION}" "User Commands"
.SH NAME
turnlog \\- browse, search, measure, edit and share Claude Code sessions
.SH SYNOPSIS
.B turnlog
.I command
[options]
.PP
With no command, turnlog opens the web UI. Name a session by file path, id, unique id prefix, exact title, or
.BR last .
${groups.join("\n")}
`;
}

function section(command: CommandDescription, name: string): string {
  const own = `.SS turnlog ${name}\n.nf\n${escapeText(command.help)}.fi`;
  return [own, ...command.commands.map((sub) => section(sub, `${name} ${sub.name}`))].join("\n");
}

/** A line that begins with a point or an apostrophe would be a command of man. */
function escapeText(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");
}
