// Makes new sessions of recorded ones and resumes them in real clients against a mock API. See docs/interop.md.
// The first client gets every edit of every session, the others a sample.
//   npm run interop -- [--sessions quirks|all|<name,…>] [--clients 2.1.326,…] [--sample 700] [--edits clone,…] [--minutes 30] [--jobs 2]
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { clientCommand } from "./interop/clients.mjs";
import { compareWithSource } from "./interop/compare.mjs";
import { EDITS } from "./interop/edits.mjs";
import { withoutLeftOut } from "./interop/expect.mjs";
import { holdsText, judge, judgeCopy, judgeRequest } from "./interop/judge.mjs";
import { writeReport } from "./interop/report.mjs";
import { openResults } from "./interop/results.mjs";
import { resume } from "./interop/resume.mjs";
import { BROKEN, listSessions, QUIRKS } from "./interop/sessions.mjs";
import { openStage } from "./interop/stage.mjs";

/** Edits after which a client must take what it sent and the API refused. */
const MENDS = new Set(["repair", "prune extreme"]);
const REPORT = resolve(import.meta.dirname, "..", "docs", "interop.md");

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string", default: "all" },
    clients: { type: "string", default: "2.1.326,2.1.325,2.1.45,2.0.50" },
    sample: { type: "string", default: "700" },
    edits: { type: "string" },
    minutes: { type: "string", default: "600" },
    jobs: { type: "string", default: "2" },
    report: { type: "string", default: REPORT },
  },
});
const clients = options.clients.split(",").map((version) => ({ version, command: clientCommand(version) }));
const deadline = Date.now() + Number(options.minutes) * 60_000;
const work = mkdtempSync(join(tmpdir(), "turnlog-interop-"));
const stage = openStage(work);
const results = openResults();
let left = 0;
try {
  const checks = listChecks();
  await Promise.all(Array.from({ length: Number(options.jobs) }, () => workOff(checks)));
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
const found = results.list();
writeReport(options.report, found, { left });
const failed = found.filter(({ problem }) => problem !== null);
console.log(`${found.length} checks, ${failed.length} failed${left > 0 ? `, ${left} left: run again to go on` : ""}`);
process.exitCode = failed.length > 0 || left > 0 ? 1 : 0;

function chooseSessions() {
  const all = listSessions();
  if (options.sessions === "all") return all;
  if (options.sessions === "quirks") return all.filter(({ name }) => name in QUIRKS);
  return all.filter(({ name }) => options.sessions.split(",").includes(name));
}

/** Quirks first, so that a run that is cut short has seen them. */
function listChecks() {
  const sessions = chooseSessions().toSorted((a, b) => Number(b.name in QUIRKS) - Number(a.name in QUIRKS));
  const [newest, ...others] = clients;
  const all = sessions.flatMap((session) =>
    EDITS.filter((edit) => isWanted(edit, session)).map((edit) => ({ session, edit })),
  );
  return [
    ...all.map((check) => ({ ...check, client: newest })),
    ...others.flatMap((client) => sampleOf(all, client).map((check) => ({ ...check, client }))),
  ];
}

/** The same in every run, another for each client. */
function sampleOf(checks, { version }) {
  const placed = checks.map((check) => ({ check, place: hash(`${version} ${check.session.name} ${check.edit.name}`) }));
  return placed
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, Number(options.sample))
    .map(({ check }) => check);
}

function hash(text) {
  return createHash("sha256").update(text).digest("hex");
}

function isWanted(edit, { name }) {
  if (BROKEN.has(name) && !edit.isCopy && edit.name !== "repair") return false;
  return options.edits === undefined || options.edits.split(",").includes(edit.name);
}

async function workOff(checks) {
  for (let check = checks.shift(); check; check = checks.shift()) {
    if (Date.now() > deadline) left += 1;
    else await runCheck(check);
  }
}

async function runCheck({ session, client, edit }) {
  const check = { session: session.name, edit: edit.name, client: client.version };
  if (results.find(check)) return;
  const told = await stage.tell(session);
  const args = told && edit.args(told);
  if (!args) return;
  const made = await stage.make(session, edit.name, args);
  if (!made.file && !made.problem) return;
  const problem = made.problem ?? (await checkMade(made, { session, told, edit, client }));
  results.add({ ...check, problem });
  const label = `${session.name} / ${edit.name} / ${client.version}`;
  console.log(problem === null ? `ok   ${label}` : `FAIL ${label}: ${problem}`);
}

async function checkMade({ file, moved }, { session, told, edit, client }) {
  const exchange = await resume(file, client, work);
  const source = await stage.source(session);
  const original = await resume(source, client, work);
  const refusal = judgeRequest(original, source);
  noteSource(session, client, refusal);
  const files = { copy: file, source, moved };
  if (edit.isCopy) return judgeCopy(exchange, original, files);
  const problem = judge(exchange, { file, tokens: edit.expects(told) });
  const isMended = edit.name === "repair" || original.messages !== null;
  if (problem !== null && isMended && MENDS.has(edit.name)) return problem;
  const summary = edit.lacks?.(told).find((text) => holdsText(exchange, text));
  if (summary !== undefined) return `the summary is sent: ${summary.slice(0, 60)}`;
  if (refusal !== null || (!edit.isStrict && judgeCopy(exchange, original, files) === null)) return null;
  const newest = await resume(source, clients[0], work);
  const compare = () => compareWithSource(exchange, [original, newest], { edit, file, source, told });
  if (problem === null) return compare();
  const tokens = withoutLeftOut(edit.expects(told), told, original.messages);
  return judge(exchange, { file, tokens }) ?? compare();
}

/** How a client takes the session as it was recorded; the report lists those that fail without us. */
function noteSource({ name }, { version }, problem) {
  const check = { session: name, edit: null, client: version };
  if (problem !== null && !results.find(check)) results.add({ ...check, problem: null, source: problem });
}
