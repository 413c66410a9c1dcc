// Lets turnlog chat and real clients go on with each other's sessions against a mock API. See docs/interop.md.
//   node scripts/interop-chat.mjs [--clients 2.1.326,…] [--only "sub-agent"]
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { listChecks, runCheck } from "./interop/chat/checks.mjs";
import { clientCommand } from "./interop/clients.mjs";

const DOCS = resolve(import.meta.dirname, "../docs/interop.md");
const TABLE = /(<!-- chat -->\n)[\s\S]*(<!-- end of chat -->)/;

const { values: options } = parseArgs({
  options: {
    clients: { type: "string", default: "2.1.326,2.1.325,2.1.45,2.0.50" },
    only: { type: "string", default: "" },
  },
});
const clients = options.clients.split(",").map((version) => ({ version, command: clientCommand(version) }));
const rows = [];
for (const check of listChecks().filter(({ name }) => name.includes(options.only))) {
  const found = await Promise.all(clients.map((client) => runCheck(check, client)));
  for (const [at, problem] of found.entries())
    console.log(`${problem ? "FAIL" : "ok  "} ${check.name} / ${clients[at].version}${problem ? `: ${problem}` : ""}`);
  rows.push({ name: check.name, found });
}
if (options.only === "")
  writeFileSync(
    DOCS,
    readFileSync(DOCS, "utf8").replace(TABLE, (_, begin, end) => `${begin}${toTable()}\n${end}`),
  );
process.exitCode = rows.some(({ found }) => found.some(Boolean)) ? 1 : 0;

function toTable() {
  const head = ["session", ...clients.map(({ version }) => version)];
  const cells = rows.map(({ name, found }) => [name, ...found.map((problem) => (problem ? "no" : "yes"))]);
  const table = [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
  const failures = rows.flatMap(({ name, found }) =>
    found.flatMap((problem, at) =>
      problem ? [`- ${name}, ${clients[at].version}: ${problem.replace(/\s+/g, " ")}`] : [],
    ),
  );
  return failures.length === 0 ? table : `${table}\n\nFailed checks:\n\n${failures.join("\n")}`;
}
