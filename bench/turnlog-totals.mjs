/** Run by scan-totals.mjs: the token totals of a library by the built package. */
import { scanTotals } from "../dist/library.js";

const { messages, usage } = scanTotals(process.argv[2] ?? ".");
console.log(JSON.stringify({ messages, usage }));
