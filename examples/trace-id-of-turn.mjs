// Tells the id of a trace from the session and the number of the turn, for targets that use such ids.
import { traceIdOfTurn } from "turnlog/trace";

console.log(traceIdOfTurn("ce53b57f-8af3-4510-9a63-13d0e24e22ed", 1));
