/** Run by scan-totals.mjs: the token totals of a library by the built package. */
import { scanUsage } from "../dist/index.js";
import { eachLine, sessionFiles } from "./session-files.mjs";

const scan = scanUsage();
for (const path of sessionFiles(process.argv[2] ?? ".")) eachLine(path, scan.add);
console.log(JSON.stringify({ messages: scan.messages().length, usage: scan.total() }));
