// All sessions below a folder, latest activity first: which of one project cost more than 20 cents?
import { join } from "node:path";
import { listSessions } from "turnlog";

const { sessions, problems } = listSessions(join(import.meta.dirname, "../demo"), { project: "pebble" });
for (const { id, title, turns, costUsd } of sessions.filter((session) => session.costUsd > 0.2)) {
  console.log(id.slice(0, 8), title, `${turns} turns, $${costUsd.toFixed(2)}`);
}
console.log(problems.length, "could not be read");
