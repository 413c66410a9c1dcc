import { neutralize } from "../../render/safe-text.js";
import type { Io } from "../io.js";
import { readNewest } from "../report/print-list.js";

export interface Suggestion {
  readonly word: string;
  readonly help: string;
}

const MAX_SESSIONS = 50; // as many as a person reads in a menu of the shell
const SHORT_ID = 8;
const MAX_TITLE = 60;

/** Short ids, and whole ones once more than that was typed. */
export async function recentSessions(typed: string, io: Io): Promise<readonly Suggestion[]> {
  const sessions = await readNewest(MAX_SESSIONS, io);
  const toWord = (id: string) => (typed.length > SHORT_ID ? id : id.slice(0, SHORT_ID));
  const toHelp = (title: string) => neutralize(title.replace(/\s+/g, " ")).slice(0, MAX_TITLE);
  const last = { word: "last", help: "The session with the latest activity" };
  return [last, ...sessions.map(({ id, title }) => ({ word: toWord(id), help: toHelp(title) }))];
}
