// The three ways in which turnlog and a client meet in one session.
import { readFileSync } from "node:fs";
import { openPlace } from "./place.mjs";
import { firstDifference, firstMissing } from "./said.mjs";

const PROMPT = "interop check: go on";

/** How a session comes about, through turnlog. */
const RECORDED_BY_TURNLOG = {
  "one answer": (place) => place.turnlog("hello"),
  "parallel calls, thinking, a change": (place) => place.turnlog("[[parallel]] go"),
  "calls that fail": (place) => place.turnlog("[[failing]] go"),
  "a sub-agent": (place) => place.turnlog("[[agent]] go"),
  "a sub-agent, classic layout": (place) => place.turnlog("[[agent]] go", "--layout", "classic"),
  "three runs": async (place) => {
    await place.turnlog("[[parallel]] first");
    await place.turnlog("[[failing]] second", "-c");
    await place.turnlog("third", "-c");
  },
  compacted: async (place) => {
    for (const name of ["first", "second", "third"]) await place.turnlog(`[[parallel]] ${name}`, ...more(name));
    await place.turnlog("after the summary", "-c", "--compact-at", "300");
    if (!readFileSync(place.file, "utf8").includes("compact_boundary")) throw new Error("nothing was compacted");
  },
  "interrupted in a call, then resumed": async (place) => {
    await place.turnlogEndedBy("SIGINT", "[[sleepy]] go");
    await place.turnlog("again", "-c");
  },
  "killed in a call, then resumed": async (place) => {
    await place.turnlogEndedBy("SIGKILL", "[[sleepy]] go");
    await place.turnlog("again", "-c");
  },
};

/** How a session comes about, through a client. */
const RECORDED_BY_CLIENT = {
  "one answer": (place, client) => place.client(client, "hello"),
  "parallel calls, thinking, a change": (place, client) => place.client(client, "[[parallel]] go"),
  "calls that fail": (place, client) => place.client(client, "[[failing]] go"),
  "a sub-agent": (place, client) => place.client(client, "[[agent]] go"),
  "three runs": async (place, client) => {
    await place.client(client, "[[parallel]] first");
    await place.client(client, "[[failing]] second", "--resume", place.id);
    await place.client(client, "third", "--resume", place.id);
  },
};

const HAND_OVERS = 5;

export function listChecks() {
  return [
    ...Object.entries(RECORDED_BY_TURNLOG).map(([name, record]) => ({
      name: `recorded by turnlog: ${name}`,
      check: (place, client) => resumeInClient(place, client, record),
    })),
    ...Object.entries(RECORDED_BY_CLIENT).map(([name, record]) => ({
      name: `recorded by Claude Code: ${name}`,
      check: (place, client) => resumeInTurnlog(place, client, record),
    })),
    { name: `${HAND_OVERS} hand-overs on one session`, check: handOver },
  ];
}

/** Undefined: it went well; else what did not. */
export async function runCheck({ check }, client) {
  const place = await openPlace();
  try {
    return (await check(place, client)) ?? place.problem();
  } catch (error) {
    return error.message;
  } finally {
    place.close();
  }
}

async function resumeInClient(place, client, record) {
  await record(place);
  const expected = [...place.replay(), `user: ${PROMPT}`];
  return firstDifference(expected, await place.client(client, PROMPT, "--resume", place.id));
}

/** All that the client itself sends when it goes on with its own session. turnlog may send more, see docs/interop.md. */
async function resumeInTurnlog(place, client, record) {
  await record(place, client);
  const expected = await place.undone(() => place.client(client, PROMPT, "--resume", place.id));
  return firstMissing(expected, await place.turnlog(PROMPT, "-r", place.id));
}

/** Each finds all that was said before. */
async function handOver(place, client) {
  await place.turnlog("[[parallel]] prompt 0");
  for (let at = 1; at <= HAND_OVERS; at++) {
    const expected = [...place.replay(), `user: [[single]] prompt ${at}`];
    const send = (...args) => (at % 2 === 1 ? place.client(client, ...args) : place.turnlog(...args));
    const said = await send(`[[single]] prompt ${at}`, at % 2 === 1 ? "--resume" : "-r", place.id);
    const difference = firstDifference(expected, said);
    if (difference) return `hand-over ${at}: ${difference}`;
  }
  return undefined;
}

/** All runs but the first go on with the session. */
function more(name) {
  return name === "first" ? [] : ["-c"];
}
