import type { Io } from "../io.js";
import { COMMANDS } from "../registry.js";
import { type CommandDescription, describeCommand, type Value } from "./describe-command.js";
import { recentSessions, type Suggestion } from "./recent-sessions.js";

const TAKES_SESSIONS = new Set(["session", "sessions", "a", "b"]);
const HELP: Suggestion = { word: "help", help: "Explain a command" };

/**
 * What the last word may become; `words` are those after `turnlog`, the last one is still being typed. Nothing where a file name, or
 * anything else that turnlog does not know, is expected.
 */
export async function suggestWords(words: readonly string[], io: Io): Promise<Suggestion[]> {
  const typed = words.at(-1) ?? "";
  const suggestions = await suggestAll(words.slice(0, -1), typed, io);
  return suggestions.filter(({ word }) => word.startsWith(typed));
}

async function suggestAll(before: readonly string[], typed: string, io: Io): Promise<readonly Suggestion[]> {
  const [name, ...rest] = before;
  const commands = COMMANDS.map(({ name: word, summary }) => ({ word, help: summary }));
  if (name === undefined) return [...commands, HELP];
  if (name === "help") return rest.length === 0 ? commands : [];
  const entry = COMMANDS.find((command) => command.name === name);
  if (!entry) return [];
  const place = findPlace(await describeCommand(entry, io), rest);
  if (place.value !== null) return suggestValue(place.value, typed, io);
  if (typed.startsWith("-")) return place.command.options.map(({ flag, summary }) => ({ word: flag, help: summary }));
  if (place.position === 0 && place.command.commands.length > 0)
    return place.command.commands.map(({ name: word, summary }) => ({ word, help: summary }));
  const argument = place.command.arguments[place.position] ?? place.command.arguments.at(-1);
  return argument ? suggestValue(argument, typed, io) : [];
}

interface Place {
  readonly command: CommandDescription;
  /** How many arguments stand before it. */
  readonly position: number;
  /** Of the option before it. */
  readonly value: Value | null;
}

function findPlace(start: CommandDescription, words: readonly string[]): Place {
  let command = start;
  let position = 0;
  let value: Value | null = null;
  for (const word of words) {
    const sub = command.commands.find(({ name }) => name === word);
    if (value !== null) value = null;
    else if (word.startsWith("-")) value = command.options.find(({ flag }) => flag === word)?.value ?? null;
    else if (position === 0 && sub) command = sub;
    else position += 1;
  }
  return { command, position, value };
}

async function suggestValue({ name, choices }: Value, typed: string, io: Io): Promise<readonly Suggestion[]> {
  if (choices.length > 0) return choices.map((word) => ({ word, help: "" }));
  return TAKES_SESSIONS.has(name) ? recentSessions(typed, io) : [];
}
