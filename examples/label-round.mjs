// How a turn relates to the one before it: a pause of more than five minutes makes it a resumption.
import { labelRound } from "turnlog";

const minute = 60_000;
const turn = { kind: "prompt", startedAt: 20 * minute, previousEnd: 12 * minute, isFirst: false };

console.log(labelRound({ ...turn, isFirst: true }));
console.log(labelRound(turn));
console.log(labelRound(turn, 10)); // minutes that count as a pause
console.log(labelRound({ ...turn, kind: "notification" }));
