// What a request says, in a form in which two programs can be compared.
import { blocksOf } from "../api-rules.mjs";

const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

/** 2.1.325 sends the calls of older sessions under the new name. */
const NEW_NAMES = { Task: "Agent" };

/** One entry for each text, call and result, in order. Thinking may be left out by clients, reminders are their own. */
export function saidIn(messages) {
  return messages
    .filter(({ role }) => role !== "system")
    .flatMap((message) => blocksOf(message).flatMap((block) => toEntry(message.role, block)));
}

/** Undefined: both say the same. */
export function firstDifference(expected, actual) {
  const at = expected.findIndex((entry, index) => entry !== actual[index]);
  if (at < 0 && actual.length === expected.length) return undefined;
  const place = at < 0 ? expected.length : at;
  return `entry ${place + 1} of ${expected.length}: ${quote(expected[place])} became ${quote(actual[place])}`;
}

/** Undefined: all of it is there, in the same order. */
export function firstMissing(expected, actual) {
  let from = 0;
  for (const entry of expected) {
    const at = actual.indexOf(entry, from);
    if (at < 0) return `${quote(entry)} is missing`;
    from = at + 1;
  }
  return undefined;
}

function toEntry(role, block) {
  switch (block.type) {
    case "text": {
      const text = squeeze(block.text.replace(REMINDER, ""));
      return text === "" ? [] : [`${role}: ${text}`];
    }
    case "tool_use":
      return [`call ${block.id}: ${NEW_NAMES[block.name] ?? block.name} ${JSON.stringify(block.input)}`];
    case "tool_result":
      return [`result ${block.tool_use_id}: ${squeeze(resultText(block).replace(REMINDER, ""))}`];
    default:
      return [];
  }
}

function resultText({ content }) {
  return blocksOf({ content })
    .map(({ text = "" }) => text)
    .join("\n");
}

function squeeze(text) {
  return text.replace(/\s+/g, " ").trim();
}

function quote(entry) {
  return entry === undefined ? "nothing" : `"${entry.slice(0, 90)}"`;
}
