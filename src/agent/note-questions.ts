import { isFileError } from "../errors.js";
import { type ChatWaits, noteChatWaits } from "../store/lock.js";
import type { Person } from "./chat-options.js";

/** The person, with a note for other processes while a question to them is open. */
export function noteQuestions(person: Person, dataDir: string, sessionId: () => string): Person {
  const open: ChatWaits[] = [];
  const note = (id: string) => {
    try {
      noteChatWaits(dataDir, id, open.at(-1) ?? null);
    } catch (error) {
      if (!isFileError(error)) throw error; // the question is asked all the same
    }
  };
  const noting = async <T>(what: ChatWaits, ask: () => Promise<T>): Promise<T> => {
    const id = sessionId();
    open.push(what);
    note(id);
    try {
      return await ask();
    } finally {
      open.splice(open.indexOf(what), 1);
      note(id);
    }
  };
  return {
    approve: (request) => noting("permission prompt", () => person.approve(request)),
    answer: (questions) => noting("input needed", () => person.answer(questions)),
    approvePlan: (plan) => noting("permission prompt", () => person.approvePlan(plan)),
  };
}
