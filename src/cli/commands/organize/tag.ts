import type { Command } from "commander";
import { isSameTag, toTagName } from "../../../app/organize/tags.js";
import { dataFolderOf } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintPlainTable } from "../../../render/terminal/lists/list-table.js";
import { readMarks, type SessionMarks } from "../../../store/user-db.js";
import type { CommandContext, Io } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import { printedJson } from "../../terminal/printed-json.js";
import { addMarkOptions, type MarkOptions, markSession, printMarks } from "./mark-session.js";

const EXAMPLES = `
Examples:
  turnlog tag                     list all tags and how many sessions have each
  turnlog tag last                list the tags of a session
  turnlog tag last bug +urgent    add two tags
  turnlog tag last -bug           remove a tag
  turnlog list --tag urgent       list the sessions with a tag`;

export function define(command: Command, { io }: CommandContext): void {
  addMarkOptions(command)
    .argument("[session]", SESSION)
    .argument("[tags...]", "`tag` or `+tag` adds a tag, `-tag` removes it")
    .allowUnknownOption() // -tag looks like an option
    .addHelpText("after", EXAMPLES)
    .action(async (name: string | undefined, words: readonly string[], options: MarkOptions) => {
      if (name === undefined) return writeAllTags(options, io);
      if (name.startsWith("-")) throw notATag(name);
      const changes = words.map(parseTagChange);
      const apply = (marks: SessionMarks) => changes.reduce(changeTags, marks);
      const session = await markSession(name, options, io, changes.length > 0 ? apply : undefined);
      await printMarks(session, neutralize(session.tags.join("\n")), options, io);
    });
}

interface TagChange {
  readonly tag: string;
  readonly isAdded: boolean;
}

function parseTagChange(word: string): TagChange {
  if (word.startsWith("--")) throw notATag(word);
  const tag = toTagName(word.replace(/^[+-]/, ""));
  if (tag === undefined) throw notATag(word);
  return { tag, isAdded: !word.startsWith("-") };
}

function notATag(word: string): UserError {
  return new UserError("usage", `not a tag: ${word}`, "for example `turnlog tag last +urgent -draft`");
}

/** A tag keeps the spelling it was first added with. */
function changeTags(marks: SessionMarks, { tag, isAdded }: TagChange): SessionMarks {
  const isSame = (other: string) => isSameTag(other, tag);
  if (isAdded) return marks.tags.some(isSame) ? marks : { ...marks, tags: [...marks.tags, tag].sort() };
  return { ...marks, tags: marks.tags.filter((other) => !isSame(other)) };
}

async function writeAllTags({ json }: MarkOptions, io: Io): Promise<void> {
  const counts = new Map<string, number>();
  for (const { tags } of readMarks(dataFolderOf(io)).values())
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const rows = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
  if (json)
    await io.stdout(
      printedJson(
        rows.map(([tag, sessions]) => ({ tag, sessions })),
        io,
      ),
    );
  else if (rows.length === 0) io.stderr("no session has a tag (`turnlog tag <session> <tag>` adds one)\n");
  else await io.stdout(`${paintPlainTable(rows.map(([tag, count]) => [neutralize(tag), String(count)]))}\n`);
}
