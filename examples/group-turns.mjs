// Turns from records, also while a session still runs: what is not consumed waits for the rest of its turn.
import { groupTurns, parseRecords } from "turnlog";

const line = (type, uuid, parentUuid, content) =>
  `${JSON.stringify({ type, uuid, parentUuid, message: { role: type, id: `msg_${uuid}`, content } })}\n`;
const soFar = parseRecords(
  line("user", "u1", null, "How many planets are there?") +
    line("assistant", "a1", "u1", [{ type: "text", text: "Eight." }]) +
    line("user", "u2", "a1", "And moons?"),
);

const { turns, consumed } = groupTurns(soFar);
for (const { index, prompt, messages } of turns) console.log(index, prompt, `${messages.length} messages`);
console.log(`${consumed} of ${soFar.length} records are settled`);
