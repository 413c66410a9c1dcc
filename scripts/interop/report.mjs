// The table of docs/interop.md: only what was measured.
import { readFileSync, writeFileSync } from "node:fs";
import { QUIRKS } from "./sessions.mjs";

const BEGIN = "<!-- measured -->";

/** Everything before the mark is written by hand and stays. */
export function writeReport(path, all, { left }) {
  const [intro] = readFileSync(path, "utf8").split(BEGIN);
  const results = all.filter(({ edit }) => edit !== null);
  const clients = [...new Set(results.map(({ client }) => client))].toSorted(byVersion).toReversed();
  const edits = [...new Set(results.map(({ edit }) => edit))];
  const head = ["edit", ...clients];
  const rows = edits.map((edit) => [edit, ...clients.map((client) => countOf(results, edit, client))]);
  const failures = results.filter(({ problem }) => problem !== null).map(describe);
  const sessions = [...new Set(results.map(({ session }) => session))];
  const quirks = sessions.filter((name) => name in QUIRKS);
  const parts = [
    `${results.length} checks of ${sessions.length} sessions, ${quirks.length} of them with a quirk${left > 0 ? `; ${left} not run` : ""}. Passed checks of those run:`,
    [head, head.map(() => "---"), ...rows, ["all", ...clients.map((client) => countOf(results, undefined, client))]]
      .map((cells) => `| ${cells.join(" | ")} |`)
      .join("\n"),
    failures.length === 0 ? "No check failed." : `Failed checks:\n\n${failures.join("\n")}`,
    ...describeSources(all.filter(({ source }) => source !== undefined)),
    "Sessions with a quirk:",
    quirks.map((name) => `- \`${name}\`: ${QUIRKS[name]}`).join("\n"),
  ];
  writeFileSync(path, `${intro}${BEGIN}\n\n${parts.join("\n\n")}\n`);
}

function countOf(results, edit, client) {
  const made = results.filter((result) => [undefined, result.edit].includes(edit) && result.client === client);
  return made.length === 0 ? "" : `${made.filter(({ problem }) => problem === null).length} of ${made.length}`;
}

function byVersion(a, b) {
  return a.localeCompare(b, "en", { numeric: true });
}

function describe({ session, edit, client, problem }) {
  return `- \`${session}\`, ${edit}, ${client}: ${shorten(problem)}`;
}

/** By session and reason, with the clients. */
function describeSources(sources) {
  if (sources.length === 0) return [];
  const groups = new Map();
  for (const { session, source, client } of sources) {
    const what = `\`${session}\`: ${shorten(source)}`;
    groups.set(what, [...(groups.get(what) ?? []), client].toSorted(byVersion));
  }
  const lines = [...groups].map(([what, versions]) => `- ${what} (${versions.join(", ")})`);
  return [
    "Recorded sessions that these versions do not resume, neither the original nor its copies:",
    lines.join("\n"),
  ];
}

function shorten(problem) {
  return problem.replace(/\s+/g, " ").slice(0, 160);
}
