import { isWithin, type Workspace } from "../workspace.js";
import { isGuarded } from "./guarded-path.js";
import { isRunner } from "./match-rule.js";

/** A program with the word that says what it does: a subcommand, a script, or what `npm run` runs. */
const BEGINNING =
  /^(?:(?:npm|pnpm|yarn|bun) run [\w:.-]+|(?:python[\d.]*|node|deno|perl|ruby|php) [\w.][\w./-]*|[\w./-]+ [a-z][\w:-]*|[\w./-]+)(?=\s|$)/;
/** An interpreter that is given its program: any other would begin in the same way. */
const CODE = /^\S*(?:python[\d.]*|node|deno|bun|perl|ruby|php)\s+-/;

/** Programs that do very different things: an option before the word that says which hides it. */
const OPTION_FIRST = /^(?:\S*\/)?(?:git|gh|npm|pnpm|yarn|bun|cargo|go|docker|kubectl|aws)\s+-/;

/** Allowed once is not allowed for everything. */
const DESTRUCTIVE = /^(?:\S*\/)?(?:rm|rmdir|shred|dd|truncate|mkfs\S*|kill|pkill|killall|chmod|chown)(?=\s|$)/;
const TOO_WIDE = [CODE, OPTION_FIRST, DESTRUCTIVE];

/** For commands that begin like this one; of what runs or destroys anything only this very command. */
export function suggestCommandRule(command: string, tool: string): string {
  const beginning = BEGINNING.exec(command)?.[0];
  const isTooWide = beginning === undefined || isRunner(command) || TOO_WIDE.some((form) => form.test(command));
  return `${tool}(${isTooWide ? command : `${beginning}:*`})`;
}

/** The whole folder that is worked in; of what lies outside or steers the client only this file. */
export function suggestEditRule(path: string, { roots }: Workspace): string {
  const root = isGuarded(path) ? undefined : roots.find((folder) => isWithin(path, folder));
  return root === undefined ? `Edit(/${path})` : `Edit(/${root}/**)`;
}
